namespace IntegrationTests.Shared.Conformance;

/// <summary>Registering definitions and running the version an instance began with.</summary>
public abstract class DefinitionConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Same_version_with_other_content_is_a_conflict(bool restart)
    {
        var engine = await EngineAsync();
        var (first, created) = await engine.RegisterAsync(Definitions.Empty);
        Assert.True(created);
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync();
        }

        var (second, createdAgain) =
            await engine.RegisterAsync(Definitions.Empty.Replace(" ", "", StringComparison.Ordinal));
        Assert.False(createdAgain);
        Assert.Equal(first.ContentHash, second.ContentHash);
        Assert.Equal(first.RegisteredUtc, second.RegisteredUtc, TimeSpan.FromMicroseconds(1));

        var other = Definitions.Empty.Replace("\"end\"", "\"end\", \"output\": 1", StringComparison.Ordinal);
        var conflict = await Assert.ThrowsAsync<DefinitionConflictException>(() => engine.RegisterAsync(other));
        Assert.Contains("'empty'", conflict.Message, StringComparison.Ordinal);
        Assert.Single(engine.Engine.ListDefinitions());
    }

    [Theory]
    [InlineData("call", null), InlineData("callEach", null), InlineData("call", 2)]
    public async Task Call_of_an_unregistered_definition_is_a_warning(string type, int? version)
    {
        var engine = await EngineAsync();
        var caller = Calling("caller", type, "empty", version);

        var (first, created) = await engine.RegisterAsync(caller);
        var valid = engine.Engine.ValidateDefinition(Encoding.UTF8.GetBytes(caller));
        await engine.RegisterAsync(
            Definitions.Empty.Replace("\"version\": 1", $"\"version\": {version ?? 1}", StringComparison.Ordinal));
        var (again, _) = await engine.RegisterAsync(caller);

        Assert.True(created && valid.Valid);
        var warning = Assert.Single(first.Warnings!);
        Assert.Equal("steps.sub.definition", warning.Path);
        Assert.Contains($"Step 'sub' calls definition "
            + $"'empty'{(version is null ? "" : " version 2")}, which is not registered", warning.Message,
            StringComparison.Ordinal);
        Assert.Contains("its onError, 'done'", warning.Message, StringComparison.Ordinal);
        Assert.Equal(warning, Assert.Single(valid.Warnings!));
        Assert.Null(again.Warnings);
        Assert.All(engine.Engine.ListDefinitions(), definition => Assert.Null(definition.Warnings));
    }

    [Fact]
    public async Task Definition_that_calls_itself_has_no_warning()
    {
        var engine = await EngineAsync();

        Assert.Null((await engine.RegisterAsync(Calling("self", "call", "self", version: null))).Definition.Warnings);
        Assert.NotNull((await engine.RegisterAsync(Calling("self2", "call", "self2", version: 7))).Definition.Warnings);
    }

    private static string Calling(string name, string type, string called, int? version) =>
        $$"""
        { "name": "{{name}}", "version": 1, "start": "sub", "steps": {
          "sub": { "type": "{{type}}", "definition": "{{called}}", {{(version is null ? "" : $"\"version\": {version},")}}
            {{(type == "callEach" ? "\"count\": 1," : "")}} "onError": "done", "next": "done" }, "done": { "type": "end" } } }
        """;

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task New_versions_are_published_once_and_in_order(bool restart)
    {
        var options = new WorkflowEngineOptions { Lanes = 2, PublishesDefinitions = true };
        var engine = await EngineAsync(options);
        var (first, _) = await engine.RegisterAsync(Version(1));
        await engine.RegisterAsync(Version(2));
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(options);
        }

        Assert.False((await engine.RegisterAsync(Version(1))).Created);
        await engine.RegisterAsync(Version(3));
        await engine.Events.WaitAsync<DefinitionRegistered>(1, e => e.DefinitionVersion == 3, Cancel);

        var published = engine.Events.Of<DefinitionRegistered>();
        Assert.Equal([1, 2, 3], published.Select(e => e.DefinitionVersion ?? 0));
        Assert.All(published, e => Assert.Equal(("empty", null, null), (e.Definition, e.InstanceId, e.CorrelationKey)));
        Assert.Equal(first.ContentHash, published[0].ContentHash);
        await engine.DisposeAsync();
        engine = await EngineAsync(2).WithAsync(Version(4));
        await engine.OutputAsync((await engine.StartAsync("empty")).Id);
        Assert.Equal(3, engine.Events.Of<DefinitionRegistered>().Count);

        static string Version(int version) =>
            Definitions.Empty.Replace("\"version\": 1", $"\"version\": {version}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Registrations_at_the_same_time_make_one_definition()
    {
        var engine = await EngineAsync();

        var registered =
            await Task.WhenAll(Enumerable.Range(0, 12).Select(_ => engine.RegisterAsync(Definitions.Empty)));

        Assert.Single(
            registered.Select(r => r.Definition.RegisteredUtc.Ticks / TimeSpan.TicksPerMicrosecond).Distinct());
        Assert.Single(engine.Engine.ListDefinitions());
    }

    [Fact]
    public async Task One_of_two_concurrent_registrations_is_refused()
    {
        // One clock reading for all: the instant of registration must not be mistaken for the content.
        var engine = await EngineAsync(1, new ManualTime());
        var outcomes = await Task.WhenAll(Enumerable.Range(0, 6).Select(async i =>
        {
            try
            {
                await engine.RegisterAsync(
                    $$"""{ "name": "race", "version": 1, "start": "done", "steps": { "done": { "type": "end", "output": {{i}} } } }""");
                return i;
            }
            catch (DefinitionConflictException)
            {
                return -1;
            }
        }));

        var winner = Assert.Single(outcomes, o => o >= 0);
        var started = await engine.StartAsync("race");
        Assert.Equal($"{winner}", await engine.OutputAsync(started.Id));
        await engine.DisposeAsync();
        var second = await EngineAsync();
        Assert.Equal($"{winner}", await second.OutputAsync((await second.StartAsync("race")).Id));
    }

    [Fact]
    public async Task Instance_keeps_the_version_it_began_with_across_a_restart()
    {
        var engine = await EngineAsync().WithAsync(Version(1));
        var old = await engine.StartAsync("versions");
        await engine.RegisterAsync(Version(2));
        await engine.DisposeAsync();

        engine = await EngineAsync();
        var newest = await engine.StartAsync("versions");
        var chosen = await engine.StartAsync("versions", version: 1);
        foreach (var started in new[] { old, newest, chosen })
        {
            await engine.SignalAsync("go", started.Id);
        }

        Assert.Equal((1, 2, 1), (old.Version, newest.Version, chosen.Version));
        Assert.Equal("1", await engine.OutputAsync(old.Id));
        Assert.Equal("2", await engine.OutputAsync(newest.Id));
        Assert.Equal("1", await engine.OutputAsync(chosen.Id));
        Assert.Contains("\"version\":2", engine.Engine.GetDefinition("versions"), StringComparison.Ordinal);
        Assert.Contains("\"version\":1", engine.Engine.GetDefinition("versions", 1), StringComparison.Ordinal);
        Assert.Equal(
            [("versions", 1), ("versions", 2)], engine.Engine.ListDefinitions().Select(d => (d.Name, d.Version)));
    }

    [Fact]
    public async Task Unknown_definition_version_and_activity_are_refused_by_name()
    {
        var engine = await EngineAsync().WithAsync(Definitions.Empty);

        var unknown = await Assert.ThrowsAsync<DefinitionNotFoundException>(() => engine.StartAsync("nobody"));
        var version =
            await Assert.ThrowsAsync<DefinitionNotFoundException>(() => engine.StartAsync("empty", version: 9));
        var activity = await Assert.ThrowsAsync<DefinitionInvalidException>(() => engine.RegisterAsync(
            """{ "name": "x", "version": 1, "start": "a", "steps": { "a": { "type": "invoke", "activity": "missing", "next": "b" }, "b": { "type": "end" } } }"""));

        Assert.Contains("'nobody'", unknown.Message, StringComparison.Ordinal);
        Assert.Contains("9", version.Message, StringComparison.Ordinal);
        Assert.Contains("missing", activity.Message, StringComparison.Ordinal);
        Assert.Equal(0, engine.Engine.Statistics.Started);
    }

    private static string Version(int version) =>
        $$"""
        { "name": "versions", "version": {{version}}, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "next": "done" }, "done": { "type": "end", "output": {{version}} } } }
        """;
}
