using Workflow.Abstractions;

namespace IntegrationTests.WebService;

/// <summary>Counts of instances that are many.</summary>
[Trait("Category", "Integration")]
public sealed class DiagramCountTests
{
    [Fact]
    public async Task Instances_are_read_for_one_picture_at_a_time()
    {
        const int Pictures = 4;
        var (reading, atOnce, reads) = (0, 0, 0);
        var instance = new InstanceView
        {
            Id = Guid.CreateVersion7(), Definition = "counted", Version = 2, State = InstanceState.Waiting,
            Variables = default, Waits = [],
            CreatedUtc = default, UpdatedUtc = default,
        };
        var page = Enumerable.Repeat(instance, 1_000).ToArray();
        await using var app = await FailureTests.StartAsync(ScriptedEngine.Answering(method => method switch
        {
            nameof(IWorkflowEngine.GetDefinition) => SampleDefinitions.Waiting("counted"),
            nameof(IWorkflowEngine.ListInstancesAsync) => ListAsync(),
            _ => throw new NotSupportedException(method),
        }));
        using var http = FailureTests.Http(app);

        var pictures = await Task.WhenAll(Enumerable.Range(0, Pictures).Select(_ =>
            http.GetStringAsync(
                new Uri("/definitions/counted/diagram?counts=true&version=1", UriKind.Relative), Cancel)));

        Assert.All(pictures, picture => Assert.Contains("the first 0 unfinished", picture, StringComparison.Ordinal));
        Assert.Equal((Pictures * 50, 1), (reads, atOnce));

        async Task<InstanceList> ListAsync()
        {
            atOnce = Math.Max(atOnce, Interlocked.Increment(ref reading));
            Assert.InRange(Interlocked.Increment(ref reads), 1, Pictures * 100);
            await Task.Yield();
            Interlocked.Decrement(ref reading);
            return new(page, instance.Id);
        }
    }

    [Fact]
    public async Task Instance_that_moves_while_counted_is_counted_once()
    {
        var running = new InstanceView
        {
            Id = Guid.CreateVersion7(), Definition = "moves", Version = 1, State = InstanceState.Running,
            Variables = default,
            Waits = [new("tell", "activity", null, null, null)], CreatedUtc = default, UpdatedUtc = default,
        };
        var waiting = running with { State = InstanceState.Waiting, Waits = [new("wait", "signal", null, null, null)] };
        var lists = new Queue<IReadOnlyList<InstanceView>>([[running], [waiting]]);
        await using var app = await FailureTests.StartAsync(ScriptedEngine.Answering(method => method switch
        {
            nameof(IWorkflowEngine.GetDefinition) => SampleDefinitions.Waiting("moves"),
            nameof(IWorkflowEngine.ListInstancesAsync) =>
                Task.FromResult(new InstanceList(lists.TryDequeue(out var list) ? list : [], null)),
            _ => throw new NotSupportedException(method),
        }));
        using var http = FailureTests.Http(app);

        var picture =
            await http.GetStringAsync(new Uri("/definitions/moves/diagram?counts=true", UriKind.Relative), Cancel);

        Assert.Contains("; 1 unfinished or failed instances.", picture, StringComparison.Ordinal);
        Assert.Contains("wait: waitSignal signal resume, 1 waiting", picture, StringComparison.Ordinal);
        Assert.DoesNotContain("1 active", picture, StringComparison.Ordinal);
    }
}
