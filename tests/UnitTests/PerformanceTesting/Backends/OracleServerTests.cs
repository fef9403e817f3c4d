using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Oracle;
using UnitTests.Workflow.Oracle;

namespace UnitTests.PerformanceTesting.Backends;

/// <summary>The server of tests and its collector, over the provider that refuses what a server would.</summary>
public sealed class OracleServerTests
{
    private const string ConnectionString = "Data Source=127.0.0.1:1521/FREEPDB1;User Id=system;Password=hush";

    [Fact]
    public async Task Collector_reports_differences_per_operation()
    {
        var reads =
            new Queue<(double Commits, double LogSync, double Cpu)>([(100, 5_000, 1_000), (104, 14_000, 2_000)]);
        var oracle = new FakeOracle();
        oracle.Answer = call =>
        {
            if (call.Name != "read_counters")
            {
                return Settings(call);
            }

            var (commits, sync, cpu) = reads.Dequeue();
            return new()
            {
                Rows =
                [
                    ["v$sysstat.user commits", commits], ["v$sysstat.redo size", commits * 1_000],
                    ["v$sys_time_model.DB CPU", cpu],
                    ["v$system_event.Commit: log file sync", sync],
                ],
            };
        };
        await using var server = await ConnectAsync(oracle);
        var collector = await OracleCollector.StartAsync(server, Cancel);
        var counters = await collector.StopAsync(Cancel);
        var result = counters.ToResult(completed: 2);

        Assert.Equal((2.0, 2_000.0, null),
            (result.PerOperation["commits"], result.PerOperation["walBytes"], result.PerOperation["rows"]));
        Assert.Equal(
            [("Commit: log file sync", 0.9), ("CPU", 0.1)], result.Waits.Select(w => (w.Name, w.Share!.Value)));
        Assert.DoesNotContain(result.Raw.Keys, name => name.Contains("system_event", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Restarted_counters_give_a_note_and_no_numbers()
    {
        var left = 2;
        var oracle = new FakeOracle();
        oracle.Answer = call => call.Name != "read_counters" ? Settings(call)
            : --left >= 0 ? FakeAnswer.Row("v$sysstat.user commits", (double)left) : FakeAnswer.Failing(3113);
        await using var server = await ConnectAsync(oracle);
        var collector = await OracleCollector.StartAsync(server, Cancel);

        Assert.Contains(
            "restarted", Assert.Single((await collector.StopAsync(Cancel)).Notes), StringComparison.Ordinal);
        var gone = await collector.StopAsync(Cancel);
        Assert.Contains("ORA-03113", Assert.Single(gone.Notes), StringComparison.Ordinal);
        Assert.Empty(gone.Raw);
    }

    [Fact]
    public async Task Settings_are_read_back_with_what_may_lose_a_commit()
    {
        var oracle =
            new FakeOracle
                { Answer =
                    call => call.Name == "read_settings" ? FakeAnswer.Row("commit_wait", "NOWAIT") : Settings(call) };
        await using var server = await ConnectAsync(oracle);
        var settings = await server.ReadSettingsAsync(Cancel);

        Assert.Equal(("23.0.0.0.0", "not durable: commit_wait=NOWAIT"), (settings.Version, settings.Durability));
        Assert.Equal("external server (Oracle at 127.0.0.1:1521/FREEPDB1, user 'system')", server.Description);
    }

    [Fact]
    public async Task Container_is_waited_for_by_query_and_read_back()
    {
        // In the order of a first start: no listener, an unknown service, a database that is being opened.
        var refusals = new Queue<int>([12541, 12514, 1033]);
        var oracle = new FakeOracle
        {
            Answer = Settings, Refusal = () => refusals.TryDequeue(out var number) ? FakeOracle.Error(number) : null,
        };
        var engine = new ScriptedEngine();
        await using (var server =
            await OracleServer.StartContainerAsync(engine, "gvenzl/oracle-free:23-slim", Cancel, oracle))
        {
            var password = engine.Request!.Environment["ORACLE_PASSWORD"];
            Assert.Equal(("oracle", TimeSpan.FromMinutes(5)), (engine.Request.Kind, engine.Request.ReadyTimeout));
            Assert.Equal(ProvisionMode.Container, server.Host.Provision);
            Assert.Contains("14521/FREEPDB1", server.ConnectionString, StringComparison.Ordinal);
            Assert.Contains(password, server.ConnectionString, StringComparison.Ordinal);
            Assert.DoesNotContain(password, server.Description, StringComparison.Ordinal);
            Assert.Equal("durable", (await server.ReadSettingsAsync(Cancel)).Durability);
        }

        Assert.Empty(refusals);
        Assert.Equal((1, 0), (engine.Disposals, oracle.Open));
    }

    [Fact]
    public async Task Container_that_may_lose_commits_is_refused_and_removed()
    {
        var oracle =
            new FakeOracle
                { Answer =
                    call => call.Name == "read_settings" ? FakeAnswer.Row("commit_wait", "NOWAIT") : Settings(call) };
        var engine = new ScriptedEngine();

        var error = await Assert.ThrowsAsync<BackendException>(
            () => OracleServer.StartContainerAsync(engine, "an-image", Cancel, oracle));

        Assert.Contains("says it is not durable: commit_wait=NOWAIT", error.Message, StringComparison.Ordinal);
        Assert.Equal(1, engine.Disposals);
    }

    [Fact]
    public void Advice_names_the_switch_of_the_build_and_the_pinned_image()
    {
        var provider = new OracleProvider();

        Assert.Equal("gvenzl/oracle-free:23-slim", provider.Image.Reference);
        Assert.StartsWith(
            "build with -p:Oracle=true, which adds Oracle's driver; and docker pull gvenzl/oracle-free:23-slim, "
                + "or export WORKFLOW_PERF_ORACLE=", provider.HowToEnable,
            StringComparison.Ordinal);
        Assert.Equal(
            (true, false), (provider.Supports(ProvisionMode.Container), provider.Supports(ProvisionMode.Native)));
    }

    [Fact]
    public async Task Each_test_has_its_own_user()
    {
        var oracle = new FakeOracle { Answer = Settings };
        var server = await ConnectAsync(oracle);
        var first = await server.CreateUserAsync(Cancel);
        var second = await server.CreateUserAsync(Cancel);
        await server.DropUserAsync(first, Cancel);

        var made = oracle.CallsOf("create_user");
        Assert.Equal(2, made.Select(call => call.Values["p_name"]).Distinct().Count());
        Assert.NotEqual(first, second);
        Assert.Contains((string)made[0].Values["p_password"]!, first, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", first, StringComparison.Ordinal);
        await server.DisposeAsync();
        Assert.Equal(made.Select(call => call.Values["p_name"]),
            oracle.CallsOf("drop_user").Select(call => call.Values["p_name"]));
    }

    [Theory]
    [InlineData("Data Source=127.0.0.1:1/x;User Id=system;Password=hush", "ORA-12541")]
    [InlineData("Data Source=127.0.0.1:1/x;Password=hush", "User Id")]
    public async Task Unusable_server_is_named_by_its_variable(string connectionString, string part)
    {
        var oracle = new FakeOracle { Refusal = () => FakeOracle.Error(12541) };
        var error = await Assert.ThrowsAsync<BackendException>(() =>
            OracleServer.ConnectAsync(connectionString, ServerKind.Oracle.Variable, Cancel, oracle));

        Assert.Contains("WORKFLOW_PERF_ORACLE", error.Message, StringComparison.Ordinal);
        Assert.Contains(part, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", error.ToString(), StringComparison.Ordinal);
    }

    private static Task<OracleServer> ConnectAsync(FakeOracle oracle) =>
        OracleServer.ConnectAsync(ConnectionString, ServerKind.Oracle.Variable, Cancel, oracle);

    private static FakeAnswer? Settings(FakeCall call) =>
        call.Name == "read_server" ? FakeAnswer.Row("23.0.0.0.0", "AL32UTF8") : null;
}
