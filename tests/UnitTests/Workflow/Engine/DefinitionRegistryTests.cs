using IntegrationTests.Shared.Faults;

namespace UnitTests.Workflow.Engine;

public sealed class DefinitionRegistryTests
{
    [Fact]
    public async Task However_many_ask_for_an_unknown_definition_one_reads_at_a_time_and_each_sees_what_was_there_when_it_asked()
    {
        var store = new InMemoryStore();
        await store.OpenAsync(Cancel);
        var reads = 0;
        var reading = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var gated = new FaultyStore(store)
        {
            BeforeDefinitions = () =>
            {
                Interlocked.Increment(ref reads);
                reading.TrySetResult();
                return gate.Task;
            },
        };
        var registry = new DefinitionRegistry(gated, new DefinitionRules(), TimeProvider.System, 10, 1_000_000);

        var first = registry.RefreshAsync(Cancel);
        await reading.Task.WaitAsync(Cancel);
        await store.AddDefinitionAsync(Row("late"), Cancel);
        var others = Enumerable.Range(0, 1_000).Select(_ => registry.RefreshAsync(Cancel)).ToArray();
        gate.SetResult();
        await Task.WhenAll([first, .. others]);

        Assert.Equal(2, reads);
        Assert.NotNull(registry.Find("late", 1));
        await registry.RefreshAsync(Cancel);
        Assert.Equal(3, reads);
    }

    private static DefinitionRow Row(string name)
    {
        const string Json = """{"name":"NAME","start":"done","steps":{"done":{"type":"end"}},"version":1}""";
        return new(name, 1, "hash", Json.Replace("NAME", name, StringComparison.Ordinal), TimeProvider.System.GetUtcNow());
    }
}
