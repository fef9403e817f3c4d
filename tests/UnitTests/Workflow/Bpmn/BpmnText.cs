using Workflow.Abstractions.Activities;
using Workflow.Bpmn;

namespace UnitTests.Workflow.Bpmn;

/// <summary>Short ways to write BPMN files and to import them.</summary>
internal static class BpmnText
{
    /// <summary>The line on which the inside of <see cref="Process"/> begins.</summary>
    public const int FirstLine = 4;

    public static string Process(string inside, string beside = "") => $"""
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
        {beside}
        <process id="p" isExecutable="true">
        {inside}
        </process></definitions>
        """;

    /// <summary>An element <c>x</c> between a start event <c>s</c> and an end event <c>e</c>.</summary>
    public static string Around(string element, string beside = "") =>
        Process(element + Flows("s>x x>e") + """<startEvent id="s" /><endEvent id="e" />""", beside);

    /// <summary>Elements and flows, written as <c>a>b</c>.</summary>
    public static string Flows(string flows) => string.Concat(flows.Split(' ')
        .Select(flow => flow.Split('>')).Select(ends => $"""<sequenceFlow id="{ends[0]}_{ends[1]}" sourceRef="{ends[0]}" targetRef="{ends[1]}" />"""));

    /// <summary>Script tasks of these ids that do something.</summary>
    public static string Tasks(string ids) =>
        string.Concat(ids.Split(' ').Select(id => $"""<scriptTask id="{id}"><script>{id} = 1</script></scriptTask>"""));

    /// <summary>Messages with a key, a signal and errors.</summary>
    public const string Beside = """
        <message id="m" name="paid"><extensionElements><zeebe:subscription correlationKey="= id" /></extensionElements></message>
        <message id="n" name="note"><extensionElements><zeebe:subscription correlationKey="= id" /></extensionElements></message>
        <signal id="g" name="alarm" /><error id="one" errorCode="E1" /><error id="two" name="Second" errorCode="E2" />
        """;

    /// <summary>Script tasks that append their id to the variable <c>t</c>.</summary>
    public static string Marks(string ids) =>
        string.Concat(ids.Split(' ').Select(id => $"<scriptTask id=\"{id}\"><script>t = concat(coalesce(t, \"\"), \"{id}\")</script></scriptTask>"));

    public static string Flow(string from, string to, string when) => $"""
        <sequenceFlow id="{from}_{to}" sourceRef="{from}" targetRef="{to}"><conditionExpression>= {when}</conditionExpression></sequenceFlow>
        """;

    public static string Message(string id) => $"<messageEventDefinition messageRef=\"{id}\" />";
    public static string Signal(string id) => $"<signalEventDefinition signalRef=\"{id}\" />";
    public static string Error(string? id = null) => $"<errorEventDefinition {(id is null ? "" : $"errorRef=\"{id}\"")} />";
    public static string Timer(string time) => $"<timerEventDefinition><timeDuration>{time}</timeDuration></timerEventDefinition>";
    public static string Until(string time) => $"<timerEventDefinition><timeDate>{time}</timeDate></timerEventDefinition>";
    public static string Catch(string id, string what) => $"<intermediateCatchEvent id=\"{id}\">{what}</intermediateCatchEvent>";

    public static string Boundary(string id, string at, string what, string more = "") =>
        $"<boundaryEvent id=\"{id}\" attachedToRef=\"{at}\" {more}>{what}</boundaryEvent>";

    /// <summary>A sub-process of this id, with the start event <c>id_s</c>.</summary>
    public static string Sub(string id, string inside, string flows) =>
        $"<subProcess id=\"{id}\"><startEvent id=\"{id}_s\" />{inside}{Flows(flows)}</subProcess>";

    /// <summary>An event sub-process of this id, with the start event <c>id_s</c>.</summary>
    public static string Handler(string id, string what, string inside, string flows, bool interrupts = true) => $"""
        <subProcess id="{id}" triggeredByEvent="true"><startEvent id="{id}_s" {(interrupts ? "" : "isInterrupting=\"false\"")}>{what}</startEvent>{inside}{Flows(flows)}</subProcess>
        """;

    public static IReadOnlyList<ImportedDefinition> Import(string xml) => BpmnImporter.Import(Encoding.UTF8.GetBytes(xml));

    /// <summary>The steps, without where they come from.</summary>
    public static JsonObject Steps(string xml)
    {
        var steps = JsonNode.Parse(Assert.Single(Import(xml)).Json)!["steps"]!.AsObject();
        foreach (var step in steps)
        {
            step.Value!.AsObject().Remove("title");
            step.Value!.AsObject().Remove("source");
        }

        return steps;
    }

    public static IReadOnlyList<BpmnFinding> Findings(string xml) => Assert.Throws<BpmnInvalidException>(() => Import(xml)).Findings;

    /// <summary>What a step leads to, in the order of its members.</summary>
    public static void Leads(JsonObject steps, string step, string expected)
    {
        string[] members = ["cases", "branches", "join", "next", "otherwise", "onTimeout", "onError"];
        var leads = members.Select(member => (member, value: steps[step]?[member])).Where(found => found.value is not null)
            .SelectMany(found => found.value is JsonArray many
                ? many.Select(one => one is JsonObject next ? next["next"]!.ToString() : one!.ToString())
                : [found.value!.ToString()]);
        Assert.Equal(expected, string.Join(' ', leads));
    }
}

/// <summary>An instance of a file that an engine runs, and what happens to it.</summary>
internal sealed class BpmnRun : IAsyncDisposable
{
    private static readonly Activity Give = new()
    {
        Name = "give", Inline = true, InvokeAsync = (input, _) => ValueTask.FromResult(input.AsContext()["gives"]),
    };

    private readonly ManualTime _time;

    private BpmnRun(EngineSession session, ManualTime time) => (Session, _time) = (session, time);

    public EngineSession Session { get; }
    public Guid Id { get; private set; }

    public static async Task<BpmnRun> StartAsync(
        string inside, string input = """{ "id": "k" }""", string beside = BpmnText.Beside, bool start = true)
    {
        var options = new WorkflowEngineOptions { Lanes = 1, Activities = [new() { Name = "fail", Inline = true, InvokeAsync = Fail }, Give] };
        var time = new ManualTime();
        var run = new BpmnRun(await EngineSession.StartAsync(new InMemoryStore(), options, time), time);
        foreach (var definition in BpmnText.Import(BpmnText.Process(inside, beside)))
        {
            await run.Session.RegisterAsync(definition.Json);
        }

        run.Id = start ? (await run.Session.StartAsync("p", input)).Id : Guid.Empty;
        await run.Session.IdleAsync();
        return run;
    }

    private static ValueTask<Value> Fail(Value input, CancellationToken cancellationToken) =>
        throw new NonRetryableActivityException("It failed.") { Code = JsonNode.Parse(input.ToString()!)?["id"]?.ToString() };

    /// <summary>One after the other: a task is completed, a signal is sent to the instance (@) or by its key, or hours pass.</summary>
    public async Task HappenAsync(string happens)
    {
        await Session.IdleAsync();
        foreach (var one in happens.Split(' '))
        {
            switch (one)
            {
                case "task":
                    var tasks = (await Session.Engine.ListTasksAsync(new(), Cancel)).Items;
                    await Session.Engine.CompleteTaskAsync(new() { TaskId = tasks.First(task => task.State == TaskState.Open).Id }, Cancel);
                    break;
                case ['@', .. var signal]:
                    await Session.SignalAsync(signal, Id);
                    break;
                case "alarm":
                    await Session.SignalAsync("alarm", Id);
                    break;
                case "":
                    var before = (await Session.HistoryAsync(Id)).Count;
                    _time.Advance(TimeSpan.FromHours(2));
                    await Eventually.BecomesAsync(
                        () => Session.HistoryAsync(Id), history => history.Count > before, _ => "No timer has fired.");
                    break;
                default:
                    Assert.True((await Session.SignalAsync(one, "k")).Delivered, $"Nothing waits for {one}.");
                    break;
            }

            await Session.IdleAsync();
        }
    }

    /// <summary>What has run, as the script tasks of <see cref="BpmnText.Marks"/> say. Where it fails instead, the test says so at once.</summary>
    public async Task<string> TraceAsync() => (await OutputAsync())["t"]?.ToString() ?? "";

    public async Task<JsonNode> OutputAsync(Guid? id = null)
    {
        await Session.IdleAsync();
        var view = await Session.ViewAsync(id ?? Id);
        Assert.True(
            view.State == InstanceState.Completed, $"{view.State}: {view.Error?.Message} {string.Join(", ", view.Waits.Select(wait => wait.Step))}");
        return JsonNode.Parse(await Session.OutputAsync(id ?? Id))!;
    }

    public async Task<InstanceError> FailedAsync()
    {
        await Session.IdleAsync();
        var view = await Session.ViewAsync(Id);
        Assert.Equal(InstanceState.Failed, view.State);
        return view.Error!;
    }

    public async Task<int> OpenTasksAsync() =>
        (await Session.Engine.ListTasksAsync(new(), Cancel)).Items.Count(task => task.State == TaskState.Open);

    public ValueTask DisposeAsync() => Session.DisposeAsync();
}
