namespace Workflow.Bpmn;

/// <summary>An activity with several instances: a step that calls a definition for each element.</summary>
internal abstract class LoopedElement(BpmnElement element, string name)
{
    public BpmnElement Element => element;

    /// <summary>The definition of one instance.</summary>
    public string Name => name;

    /// <summary>The processes that are called with every variable of this one.</summary>
    public abstract IReadOnlyCollection<string> CalledWithAll { get; }

    /// <summary>Completes the step, once the variables of the process are known.</summary>
    public abstract void Finish(IReadOnlyList<string> variables);

    /// <summary>What one instance does; empty where that is the called process.</summary>
    public abstract IEnumerable<ImportedDefinition> ToDefinitions();
}
