using Workflow.Abstractions.Activities;

namespace UnitTests.Workflow.Bpmn;

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
        var options = new WorkflowEngineOptions
            { Lanes = 1, Activities = [new() { Name = "fail", Inline = true, InvokeAsync = Fail }, Give] };
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
        throw new NonRetryableActivityException(
            "It failed.") { Code = JsonNode.Parse(input.ToString()!)?["id"]?.ToString() };

    /// <summary>In order: completes a task, signals the instance (@) or a key, or advances the clock.</summary>
    public async Task HappenAsync(string happens)
    {
        await Session.IdleAsync();
        foreach (var one in happens.Split(' '))
        {
            switch (one)
            {
                case "task":
                    var tasks = (await Session.Engine.ListTasksAsync(new(), Cancel)).Items;
                    await Session.Engine.CompleteTaskAsync(
                        new() { TaskId = tasks.First(task => task.State == TaskState.Open).Id }, Cancel);
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

    /// <summary>The letters of the script tasks that ran (<see cref="BpmnText.Marks"/>). Fails with the run.</summary>
    public async Task<string> TraceAsync() => (await OutputAsync())["t"]?.ToString() ?? "";

    public async Task<JsonNode> OutputAsync(Guid? id = null)
    {
        await Session.IdleAsync();
        var view = await Session.ViewAsync(id ?? Id);
        Assert.True(
            view.State
                == InstanceState.Completed, $"{view.State}: {view.Error?.Message} "
                    + $"{string.Join(", ", view.Waits.Select(wait => wait.Step))}");
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
