namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>What the value of a member must be.</summary>
internal enum MemberKind
{
    /// <summary>By <see cref="NameRule"/>; so are the next three, of which the rules may know the valid ones.</summary>
    Name,
    Activity,
    Event,
    Variable,

    /// <summary>Read before the other members.</summary>
    StepType,
    Next,

    /// <summary>The step that an error leads to.</summary>
    Error,

    /// <summary>The first step inside of a sub-process.</summary>
    Inside,
    Branches,
    Join,

    /// <summary>An expression, its leading = optional.</summary>
    Condition,
    Cases,

    /// <summary>Cases of which no two lead to the same step.</summary>
    BranchCases,

    /// <summary>Signals and times; at a boundary, whether they interrupt.</summary>
    WaitEvents,
    Boundary,

    /// <summary>Signals that start an instance, each once.</summary>
    StartSignals,

    /// <summary>
    /// Any JSON with expressions in it. Of the named kinds: a value of the kind, or an expression that gives one.
    /// </summary>
    Template,
    TextTemplate,
    KeyTemplate,
    PersonTemplate,
    CodeTemplate,
    DurationTemplate,
    InstantTemplate,

    /// <summary>A list of at most 100, each as <see cref="PersonTemplate"/>.</summary>
    Persons,
    ListTemplate,
    CountTemplate,
    Values,
    Duration,
    Retry,

    /// <summary>A whole number from 1.</summary>
    Count,

    /// <summary>A number from 1 to 100.</summary>
    Factor,
    Flag,
    Steps,

    /// <summary>A text that is never an expression; so is the next, which may be longer.</summary>
    Label,
    Prose,
    Origin,

    /// <summary>Outside of the content hash.</summary>
    Layout,
}
