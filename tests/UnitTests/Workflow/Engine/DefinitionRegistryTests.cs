using IntegrationTests.Shared.Faults;
using Microsoft.Extensions.Logging;
using Workflow.Contracts.Definitions;

namespace UnitTests.Workflow.Engine;

public sealed class DefinitionRegistryTests : IAsyncLifetime, ILogger
{
    private const string Starts = """ "startOn":[{"signal":"go"}],""";

    private readonly InMemoryStore _store = new();
    private readonly DefinitionRegistry _registry;
    private readonly List<string> _read = [];
    private readonly List<string> _logged = [];

    public DefinitionRegistryTests() => _registry = Over(_store);

    public async ValueTask InitializeAsync() => await _store.OpenAsync(Cancel);
    public ValueTask DisposeAsync() => _store.DisposeAsync();

    [Fact]
    public async Task Concurrent_lookups_of_a_definition_read_one_at_a_time()
    {
        var reads = 0;
        var reading = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var registry = Over(new FaultyStore(_store)
        {
            BeforeDefinitions = () =>
            {
                Interlocked.Increment(ref reads);
                reading.TrySetResult();
                return gate.Task;
            },
        });

        var first = registry.RefreshAsync(Cancel);
        await reading.Task.WaitAsync(Cancel);
        await _store.AddDefinitionAsync(Row("late"), Cancel);
        var others = Enumerable.Range(0, 1_000).Select(_ => registry.RefreshAsync(Cancel)).ToArray();
        gate.SetResult();
        await Task.WhenAll([first, .. others]);

        Assert.Equal(2, reads);
        Assert.NotNull(registry.Find("late", 1));
        await registry.RefreshAsync(Cancel);
        Assert.Equal(3, reads);
    }

    [Fact]
    public async Task Definition_registered_on_this_node_is_not_read_again()
    {
        var registry = Over(Recorded());
        await AddAsync("a", "b");
        await registry.LoadAsync(Cancel);
        await RegisterAsync(registry, "own");
        await registry.LoadAsync(Cancel);
        Assert.Equal(["a", "b"], _read);

        await AddAsync("c");
        await RegisterAsync(registry, "behind");
        await registry.EnsureAsync([("c", 1)], Cancel);
        await registry.LoadAsync(Cancel);

        Assert.Equal(["a", "b", "c", "behind"], _read);
        Assert.Equal((5L, 5), (registry.LastRead, registry.Count));
    }

    [Fact]
    public async Task Read_during_a_registration_reads_that_definition_alone()
    {
        Func<Task> renewal = () => Task.CompletedTask;
        var registry = Over(
            new FaultyStore(
                Recorded()) { AfterDefinitions = rows => rows.Count == 0 ? renewal() : Task.CompletedTask });
        await AddAsync("a", "b");
        await registry.LoadAsync(Cancel);
        _read.Clear();

        renewal = () =>
        {
            renewal = () => Task.CompletedTask;
            return registry.LoadAsync(Cancel);
        };
        await RegisterAsync(registry, "own");
        await registry.LoadAsync(Cancel);

        Assert.Equal(["own"], _read);
        Assert.Equal((3L, 3), (registry.LastRead, registry.Count));
    }

    [Fact]
    public async Task Late_read_does_not_undo_a_newer_one()
    {
        var held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var reading = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var registry = Over(new FaultyStore(Recorded())
        {
            AfterDefinitions = _ => reading.TrySetResult() ? held.Task : Task.CompletedTask,
        });
        await AddAsync("a");
        var late = registry.LoadAsync(Cancel);
        await reading.Task.WaitAsync(Cancel);
        await AddAsync("b");

        await registry.LoadAsync(Cancel);
        held.SetResult();
        await late;
        await AddAsync("c");
        await registry.LoadAsync(Cancel);

        Assert.Equal(["a", "a", "b", "c"], _read);
        Assert.Equal(["a", "b", "c"], registry.List().Select(d => d.Name));
    }

    [Fact]
    public async Task Unreadable_definition_is_logged_once_and_refused()
    {
        var registry = Over(Recorded());
        await AddAsync("a");
        await _store.AddDefinitionAsync(Row("newer") with { Body = """{ "steps": "of another kind" }""" }, Cancel);
        await AddAsync("b");

        await registry.LoadAsync(Cancel);
        await registry.LoadAsync(Cancel);
        await registry.EnsureAsync([("a", 1), ("b", 1)], Cancel);

        Assert.Equal(["a", "newer", "b"], _read);
        Assert.Equal(["a", "b"], registry.List().Select(d => d.Name));
        Assert.Contains("'newer'", Assert.Single(_logged), StringComparison.Ordinal);
        await Assert.ThrowsAsync<DefinitionInvalidException>(
            () => registry.EnsureAsync([("a", 1), ("newer", 1)], Cancel).AsTask());
        Assert.Throws<DefinitionInvalidException>(() => registry.Get("newer", 1));
        Assert.Throws<DefinitionNotFoundException>(() => registry.Get("newer", 2));
        await Assert.ThrowsAsync<DefinitionInvalidException>(() => Over(_store).StartAsync(Cancel));
    }

    /// <summary>Checking first and adding later would admit all that arrive during the write to the store.</summary>
    [Theory]
    [InlineData(1, 1_000_000, "")]
    [InlineData(10, 120, "")]
    [InlineData(10, 1_000_000, Starts)]
    public async Task Concurrent_definitions_are_checked_in_sequence(int maxCount, long maxSize, string startOn)
    {
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var registry = Over(new FaultyStore(_store) { BeforeDefinitions = () => gate.Task }, maxCount, maxSize);

        var both = new[] { "a", "b" }.Select(
            name => registry.RegisterAsync(Encoding.UTF8.GetBytes(Json(name, startOn)), Cancel)).ToArray();
        gate.SetResult();
        await Assert.ThrowsAnyAsync<WorkflowException>(() => Task.WhenAll(both));

        Assert.Equal("a", Assert.Single(await _store.LoadDefinitionsAsync(0, Cancel)).Name);
    }

    [Fact]
    public async Task Registration_is_repeatable_after_its_signal_moved()
    {
        var (first, _) = await RegisterAsync("a", Starts);
        await RegisterAsync("a", version: 2);
        await RegisterAsync("b", Starts);

        Assert.Equal((first, false), await RegisterAsync("a", Starts));
        await Assert.ThrowsAsync<DefinitionInvalidException>(() => RegisterAsync("a", Starts, version: 3));
    }

    [Fact]
    public async Task Validation_names_a_signal_of_another_definition()
    {
        await RegisterAsync("a", Starts);
        var taken = Validate("b", Starts);
        await RegisterAsync("a", version: 2);
        var free = Validate("b", Starts);
        await RegisterAsync("b", Starts);

        var error = Assert.Single(taken.Errors);
        Assert.Equal((false, "startOn[0].signal"), (taken.Valid, error.Path));
        Assert.Contains("'a' version 1", error.Message, StringComparison.Ordinal);
        Assert.True(free.Valid);
        Assert.True(Validate("a", Starts).Valid);
        Assert.False(Validate("a", Starts, version: 2).Valid);
        Assert.False(Validate("a", Starts, version: 3).Valid);

        DefinitionValidation Validate(string name, string startOn, int version = 1) =>
            _registry.Validate(Encoding.UTF8.GetBytes(Json(name, startOn, version)));
    }

    [Theory]
    [InlineData(".", false), InlineData("..", false), InlineData("...", true), InlineData(".a", true)]
    public async Task Name_that_a_URL_resolves_is_refused_but_readable(string name, bool isGood)
    {
        var body = Encoding.UTF8.GetBytes(Json(name));

        var validation = _registry.Validate(body);
        var refused =
            await Record.ExceptionAsync(() => _registry.RegisterAsync(body, Cancel)) as DefinitionInvalidException;

        Assert.Equal((isGood, isGood), (validation.Valid, refused is null));
        string[] paths = isGood ? [] : ["name"];
        Assert.Equal(paths, validation.Errors.Select(error => error.Path));
        Assert.Equal(paths, (refused?.Errors ?? []).Select(error => error.Path));
        await _store.AddDefinitionAsync(Row(name), Cancel);
        await _registry.LoadAsync(Cancel);
        Assert.NotNull(_registry.Find(name, 1));
    }

    IDisposable? ILogger.BeginScope<TState>(TState state) => null;
    bool ILogger.IsEnabled(LogLevel logLevel) => true;

    void ILogger.Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter) =>
        _logged.Add(formatter(state, exception));

    private DefinitionRegistry Over(IWorkflowStore store, int maxCount = 10, long maxSize = 1_000_000) =>
        new(store, new DefinitionRules(), TimeProvider.System, this, maxCount, maxSize);

    /// <summary>The store, whose readers' definitions are noted.</summary>
    private FaultyStore Recorded() => new(_store)
    {
        AfterDefinitions = rows =>
        {
            _read.AddRange(rows.Select(row => row.Name));
            return Task.CompletedTask;
        },
    };

    /// <summary>As another node does.</summary>
    private async Task AddAsync(params string[] names)
    {
        foreach (var name in names)
        {
            await _store.AddDefinitionAsync(Row(name), Cancel);
        }
    }

    private Task<(DefinitionInfo Info, bool Created)> RegisterAsync(
        string name, string startOn = "", int version = 1) =>
        RegisterAsync(_registry, name, startOn, version);

    private static Task<(DefinitionInfo Info, bool Created)> RegisterAsync(
        DefinitionRegistry registry, string name, string startOn = "", int version = 1) =>
        registry.RegisterAsync(Encoding.UTF8.GetBytes(Json(name, startOn, version)), Cancel);

    private static DefinitionRow Row(string name) => new(name, 1, "hash", Json(name), TimeProvider.System.GetUtcNow());

    private static string Json(string name, string startOn = "", int version = 1) =>
        $$$"""{"name":"{{{name}}}","start":"done",{{{startOn}}}"steps":{"done":{"type":"end"}},"version":{{{version}}}}""";
}
