namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>How a step names another.</summary>
internal enum StepEdgeKind
{
    Onward,

    /// <summary>By the step's <c>onError</c>.</summary>
    Error,

    /// <summary>The first step inside of a sub-process.</summary>
    Inside,

    /// <summary>The join of a fork, which is named but not stepped to.</summary>
    Join,
}
