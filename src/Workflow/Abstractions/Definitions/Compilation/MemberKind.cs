namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>What the value of a member must be.</summary>
internal enum MemberKind
{
    /// <summary>A name by <see cref="NameRule"/>.</summary>
    Name,

    /// <summary>The name of an activity, checked against the rules.</summary>
    Activity,

    /// <summary>The type of an event, checked against the rules.</summary>
    Event,

    /// <summary>The name of a variable.</summary>
    Variable,

    /// <summary>A step type; read before the other members.</summary>
    StepType,

    /// <summary>The id of a step that may follow.</summary>
    Next,

    /// <summary>The ids of the steps that follow at the same time.</summary>
    Branches,

    /// <summary>The id of a join.</summary>
    Join,

    /// <summary>An expression, its leading = optional.</summary>
    Condition,

    /// <summary>Cases of a decision.</summary>
    Cases,

    /// <summary>Any JSON with expressions in it.</summary>
    Template,

    /// <summary>A text or an expression.</summary>
    TextTemplate,

    /// <summary>A duration or an expression that gives one.</summary>
    DurationTemplate,

    /// <summary>An instant or an expression that gives one.</summary>
    InstantTemplate,

    /// <summary>Variables and their templates.</summary>
    Values,

    /// <summary>A constant duration.</summary>
    Duration,

    /// <summary>A list of texts or expressions.</summary>
    TextTemplates,

    /// <summary>A retry policy.</summary>
    Retry,

    /// <summary>A whole number from 1.</summary>
    Count,

    /// <summary>A number from 1 to 100.</summary>
    Factor,

    /// <summary>True or false.</summary>
    Flag,

    /// <summary>The steps of a definition.</summary>
    Steps,
}
