using System.Collections.Frozen;
using Workflow.Abstractions.Expressions;
using static Workflow.Abstractions.Definitions.Compilation.MemberKind;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>Every object of a canonical definition and its members: the one table that the compiler reads by and that the JSON Schema must
/// agree with.</summary>
internal static class DefinitionMembers
{
    public static readonly IReadOnlyList<Member> Definition =
        [new("name", Name, true), new("version", Count, true), new("start", Next, true), new("steps", Steps, true)];

    public static readonly IReadOnlyList<Member> Case = [new("when", Condition, true), new("next", Next, true)];

    public static readonly IReadOnlyList<Member> RetryPolicy =
        [new("maxAttempts", Count, true), new("initialInterval", Duration), new("backoff", Factor)];

    /// <summary>Step types by name.</summary>
    public static readonly FrozenDictionary<string, StepType> StepTypes = new StepType[]
    {
        new("set", Set, new("values", Values, true), new("next", Next, true)),
        new("decide", Decide, new("cases", Cases, true), new("otherwise", Next, true)),
        new("fork", Fork, new("branches", Branches, true), new("join", Join, true)),
        new("join", JoinOf, new Member("next", Next, true)),
        new("waitSignal", WaitSignal, new("signal", Name, true), new("correlation", TextTemplate), new("timeout", Duration),
            new("onTimeout", Next), new("result", Variable), new("next", Next, true)),
        new("delay", Delay, new("duration", DurationTemplate), new("until", InstantTemplate), new("next", Next, true)),
        new("task", Task, new("assignee", TextTemplate), new("groups", TextTemplates), new("timeout", Duration), new("onTimeout", Next),
            new("result", Variable), new("next", Next, true)),
        new("invoke", Invoke, new("activity", Activity, true), new("input", MemberKind.Template), new("retry", Retry), new("onError", Next),
            new("timeout", Duration), new("onTimeout", Next), new("result", Variable), new("next", Next, true)),
        new("call", Call, new("definition", Name, true), new("version", Count), new("input", MemberKind.Template), new("onError", Next),
            new("timeout", Duration), new("onTimeout", Next), new("result", Variable), new("next", Next, true)),
        new("raise", Raise, new("event", Event, true), new("payload", MemberKind.Template), new("next", Next, true)),
        new("end", End, new("output", MemberKind.Template), new("terminate", Flag)),
        new("fail", Fail, new Member("error", TextTemplate, true)),
    }.ToFrozenDictionary(type => type.Name, StringComparer.Ordinal);

    private static SetStep Set(string id, MemberValues values) => new()
    {
        Id = id,
        Values = values.Get<IReadOnlyList<KeyValuePair<string, Template>>>("values"),
        Next = values.Get<string>("next"),
    };

    private static DecideStep Decide(string id, MemberValues values) => new()
    {
        Id = id,
        Cases = values.Get<IReadOnlyList<DecideCase>>("cases"),
        Otherwise = values.Get<string>("otherwise"),
    };

    private static ForkStep Fork(string id, MemberValues values) => new()
    {
        Id = id,
        Branches = values.Get<IReadOnlyList<string>>("branches"),
        Join = values.Get<string>("join"),
    };

    private static JoinStep JoinOf(string id, MemberValues values) => new() { Id = id, Next = values.Get<string>("next") };

    private static WaitSignalStep WaitSignal(string id, MemberValues values) => new()
    {
        Id = id,
        Signal = values.Get<string>("signal"),
        Correlation = values.Template("correlation"),
        Timeout = values.Duration("timeout"),
        OnTimeout = values.Text("onTimeout"),
        Result = values.Text("result"),
        Next = values.Get<string>("next"),
    };

    private static DelayStep Delay(string id, MemberValues values) => new()
    {
        Id = id,
        Duration = values.Template("duration"),
        Until = values.Template("until"),
        Next = values.Get<string>("next"),
    };

    private static TaskStep Task(string id, MemberValues values) => new()
    {
        Id = id,
        Assignee = values.Template("assignee"),
        Groups = values.Template("groups"),
        Timeout = values.Duration("timeout"),
        OnTimeout = values.Text("onTimeout"),
        Result = values.Text("result"),
        Next = values.Get<string>("next"),
    };

    private static InvokeStep Invoke(string id, MemberValues values) => new()
    {
        Id = id,
        Activity = values.Get<string>("activity"),
        Input = values.Template("input"),
        Retry = values.GetOr<RetryPolicy?>("retry", null),
        OnError = values.Text("onError"),
        Timeout = values.Duration("timeout"),
        OnTimeout = values.Text("onTimeout"),
        Result = values.Text("result"),
        Next = values.Get<string>("next"),
    };

    private static CallStep Call(string id, MemberValues values) => new()
    {
        Id = id,
        Definition = values.Get<string>("definition"),
        Version = values.Count("version"),
        Input = values.Template("input"),
        OnError = values.Text("onError"),
        Timeout = values.Duration("timeout"),
        OnTimeout = values.Text("onTimeout"),
        Result = values.Text("result"),
        Next = values.Get<string>("next"),
    };

    private static RaiseStep Raise(string id, MemberValues values) => new()
    {
        Id = id,
        Event = values.Get<string>("event"),
        Payload = values.Template("payload"),
        Next = values.Get<string>("next"),
    };

    private static EndStep End(string id, MemberValues values) => new()
    {
        Id = id,
        Output = values.Template("output"),
        Terminate = values.GetOr("terminate", false),
    };

    private static FailStep Fail(string id, MemberValues values) => new() { Id = id, Error = values.Get<Template>("error") };
}

/// <summary>A step type: its members besides <c>type</c>, and how a step is made of them once they are all good.</summary>
internal sealed record StepType(string Name, Func<string, MemberValues, StepDefinition> Make, params IReadOnlyList<Member> Members)
{
    public bool Has(string member) => Members.Any(known => known.Name == member);
}

/// <summary>A member of an object in a definition.</summary>
internal sealed record Member(string Name, MemberKind Kind, bool Required = false);

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
