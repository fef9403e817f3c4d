using System.Text.RegularExpressions;

namespace Workflow.Bpmn;

/// <summary>
/// Which attributes and extensions of other products may be passed over where the caller asks for that. Of engines only
/// what is known to change nothing; of other products what does not sound like behaviour. In doubt it may not.
/// </summary>
internal static partial class BpmnForeign
{
    /// <summary>What an editor keeps for itself beside what its engine executes.</summary>
    private static readonly HashSet<string> Editors = ["http://flowable.org/design", "http://flowable.org/modeler"];

    /// <summary>Engines execute what stands in their namespaces.</summary>
    private static readonly HashSet<string> Engines =
    [
        BpmnNamespace.Camunda, BpmnNamespace.Zeebe, "http://activiti.org/bpmn", "http://flowable.org/bpmn",
        "http://www.jboss.org/drools",
        "http://spiffworkflow.org/bpmn/schema/1.0/core",
    ];

    /// <summary>How an engine's job is run and shown, and what it keeps of it.</summary>
    private static readonly HashSet<string> HarmlessOfEngines =
    [
        "async", "exclusive", "jobPriority", "formKey", "formFieldValidation", "dueDate", "priority", "category",
        "candidateStarterGroups", "candidateStarterUsers", "historyLevel", "task-candidates-type",
        "work-form-field-validation",
    ];

    /// <summary>Whole words that are too short or too common to be looked for inside of others.</summary>
    private static readonly HashSet<string> Words = new(StringComparer.OrdinalIgnoreCase)
    {
        "action", "called", "class", "code", "due", "field", "in", "job", "method", "operation", "out", "owner", "rule",
        "rules", "topic", "worker",
    };

    public static bool ChangesNothing(BpmnAttribute attribute) => ChangesNothing(attribute.Namespace, attribute.Name);

    public static bool ChangesNothing(BpmnElement extension) =>
        ChangesNothing(extension.Namespace, extension.Kind) && (Editors.Contains(extension.Namespace)
            || extension.All.All(part => !SuggestsBehaviour(part.Kind)
                && !part.Attributes.Exists(attribute => Behaviour().IsMatch(attribute.Name))));

    private static bool ChangesNothing(string space, string name) => Editors.Contains(space)
        || (Engines.Contains(space) ? HarmlessOfEngines.Contains(name) : !SuggestsBehaviour(name));

    private static bool SuggestsBehaviour(string name) =>
        Behaviour().IsMatch(name) || Parts().Split(name).Any(Words.Contains);

    [GeneratedRegex(
        "listener|(?<!de|tran|sub|manu)script|condition|expression|mapp(er|ing)|binding|param|variable|delegate"
        + "|handler|implement|operator|assign|candidate|performer|initiator|correlat|subscription|payload|loop"
        + "|multi-?instance|cardinality|collection|retry|retries|backoff|skip|timeout|timer|deadline|compensat"
        + "|transaction|trigger|interrupt|escalat|execut|decision|input|output",
        RegexOptions.IgnoreCase)]
    private static partial Regex Behaviour();

    [GeneratedRegex("(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")]
    private static partial Regex Parts();
}
