using System.Collections.Frozen;
using static Workflow.Abstractions.Definitions.Compilation.MemberKind;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// Every object of a canonical definition and its members: the one table that the compiler reads by and that the JSON
/// Schema must agree with.
/// </summary>
internal static class DefinitionMembers
{
    /// <summary>The only member that is no part of the content.</summary>
    public const string Layout = "layout";

    /// <summary>For people and tools; nothing of it is executed. A definition and every step has them.</summary>
    public static readonly IReadOnlyList<Member> Metadata =
        [new("title", Label), new("documentation", Prose), new("source", Origin)];

    public static readonly IReadOnlyList<Member> Source =
        [new("document", Label), new("element", Label), new("line", Count)];

    public static readonly IReadOnlyList<Member> Definition =
        [new("name", Name, true), new("version", Count, true), new("start", Next, true), new("startOn", StartSignals),
            new("steps", Steps, true), .. Metadata, new(Layout, MemberKind.Layout)];

    public static readonly IReadOnlyList<Member> StartSignal = [new("signal", Name, true), new("result", Variable)];

    public static readonly IReadOnlyList<Member> Case = [new("when", Condition, true), new("next", Next, true)];

    public static readonly IReadOnlyList<Member> RetryPolicy =
        [new("maxAttempts", Count, true), new("initialInterval", Duration), new("backoff", Factor)];

    public static readonly IReadOnlyList<Member> WaitEvent =
        [new("signal", Name), new("correlation", KeyTemplate), new("result", Variable),
            new("duration", DurationTemplate),
            new("until", InstantTemplate), new("next", Next, true)];

    public static readonly IReadOnlyList<Member> BoundaryEvent = [.. WaitEvent, new("interrupting", Flag)];

    /// <summary>
    /// Of every step that takes its time; of one that waits, what it waits for aside; of one that calls something.
    /// </summary>
    private static readonly IReadOnlyList<Member> Bounded =
        [new("timeout", Duration), new("onTimeout", Next), new("boundary", Boundary), new("next", Next, true)];

    private static readonly IReadOnlyList<Member> Awaiting = [new("result", Variable), .. Bounded];
    private static readonly IReadOnlyList<Member> OnError = [new("onError", Error), new("errorResult", Variable)];
    private static readonly IReadOnlyList<Member> Calling = [.. OnError, .. Awaiting];

    public static readonly FrozenDictionary<string, StepType> StepTypes = new StepType[]
    {
        new("set", Set, new("values", Values, true), new("next", Next, true)),
        new("decide", Decide, new("cases", Cases, true), new("otherwise", Next, true)),
        new("fork", Fork, new("branches", Branches, true), new("join", Join, true)),
        new("inclusive", Inclusive, new("cases", BranchCases, true), new("otherwise", Next, true),
            new("join", Join, true)),
        new("join", JoinOf, new Member("next", Next, true)),
        new("subProcess", SubProcess, [new("start", Inside, true), .. OnError, .. Bounded]),
        new("waitSignal", WaitSignal, [new("signal", Name, true), new("correlation", KeyTemplate), .. Awaiting]),
        new("waitFirst", WaitFirst, new Member("events", WaitEvents, true)),
        new("delay", Delay, new("duration", DurationTemplate), new("until", InstantTemplate), new("next", Next, true)),
        new("task", Task, [new("assignee", PersonTemplate), new("groups", Persons), .. Awaiting]),
        new("invoke", Invoke,
            [new("activity", Activity, true), new("input", MemberKind.Template), new("retry", Retry), .. Calling]),
        new("call", Call,
            [new("definition", Name, true), new("version", Count), new("input", MemberKind.Template), .. Calling]),
        new("callEach", CallEach,
            [new("definition", Name, true), new("version", Count), new("items", ListTemplate),
                new("count", CountTemplate),
                new("item", Variable), new("index", Variable), new("input", MemberKind.Template),
                new("maxConcurrency", Count),
                new("completionCondition", Condition), .. Calling]),
        new("raise", Raise, new("event", Event, true), new("payload", MemberKind.Template), new("next", Next, true)),
        new("end", End, new("output", MemberKind.Template), new("terminate", Flag)),
        new("fail", Fail, new("error", TextTemplate, true), new("code", CodeTemplate)),
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

    private static InclusiveStep Inclusive(string id, MemberValues values) => new()
    {
        Id = id,
        Cases = values.Get<IReadOnlyList<DecideCase>>("cases"),
        Otherwise = values.Get<string>("otherwise"),
        Join = values.Get<string>("join"),
    };

    private static JoinStep JoinOf(string id, MemberValues values) =>
        new() { Id = id, Next = values.Get<string>("next") };

    private static SubProcessStep SubProcess(string id, MemberValues values) => new()
    {
        Id = id,
        Start = values.Get<string>("start"),
        OnError = values.Text("onError"),
        ErrorResult = values.Text("errorResult"),
        Timeout = values.Duration("timeout"),
        OnTimeout = values.Text("onTimeout"),
        Boundary = values.Events("boundary"),
        Next = values.Get<string>("next"),
    };

    private static WaitSignalStep WaitSignal(string id, MemberValues values) => new()
    {
        Id = id,
        Signal = values.Get<string>("signal"),
        Correlation = values.Template("correlation"),
        Timeout = values.Duration("timeout"),
        OnTimeout = values.Text("onTimeout"),
        Result = values.Text("result"),
        Boundary = values.Events("boundary"),
        Next = values.Get<string>("next"),
    };

    private static WaitFirstStep WaitFirst(string id, MemberValues values) =>
        new() { Id = id, Events = values.Events("events")! };

    public static StepEvent EventOf(MemberValues values) => new()
    {
        Signal = values.Text("signal"),
        Correlation = values.Template("correlation"),
        Result = values.Text("result"),
        Duration = values.Template("duration"),
        Until = values.Template("until"),
        Next = values.Get<string>("next"),
        Interrupting = values.GetOr("interrupting", true),
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
        Boundary = values.Events("boundary"),
        Next = values.Get<string>("next"),
    };

    private static InvokeStep Invoke(string id, MemberValues values) => new()
    {
        Id = id,
        Activity = values.Get<string>("activity"),
        Input = values.Template("input"),
        Retry = values.GetOr<RetryPolicy?>("retry", null),
        OnError = values.Text("onError"),
        ErrorResult = values.Text("errorResult"),
        Timeout = values.Duration("timeout"),
        OnTimeout = values.Text("onTimeout"),
        Result = values.Text("result"),
        Boundary = values.Events("boundary"),
        Next = values.Get<string>("next"),
    };

    private static CallStep Call(string id, MemberValues values) => new()
    {
        Id = id,
        Definition = values.Get<string>("definition"),
        Version = values.Count("version"),
        Input = values.Template("input"),
        OnError = values.Text("onError"),
        ErrorResult = values.Text("errorResult"),
        Timeout = values.Duration("timeout"),
        OnTimeout = values.Text("onTimeout"),
        Result = values.Text("result"),
        Boundary = values.Events("boundary"),
        Next = values.Get<string>("next"),
    };

    private static CallEachStep CallEach(string id, MemberValues values) => new()
    {
        Id = id,
        Definition = values.Get<string>("definition"),
        Version = values.Count("version"),
        Items = values.Template("items"),
        Count = values.Template("count"),
        Item = values.GetOr("item", "item"),
        Index = values.GetOr("index", "index"),
        Input = values.Template("input"),
        MaxConcurrency = values.Count("maxConcurrency"),
        CompletionCondition = values.GetOr<Expression?>("completionCondition", null),
        OnError = values.Text("onError"),
        ErrorResult = values.Text("errorResult"),
        Timeout = values.Duration("timeout"),
        OnTimeout = values.Text("onTimeout"),
        Result = values.Text("result"),
        Boundary = values.Events("boundary"),
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

    private static FailStep Fail(string id, MemberValues values) =>
        new() { Id = id, Error = values.Get<Template>("error"), Code = values.Template("code") };
}
