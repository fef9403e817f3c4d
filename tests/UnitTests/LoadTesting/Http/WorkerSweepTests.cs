using LoadTesting.Core.Http.Sweep;
using LoadTesting.Core.Reporting.Tables;
using UnitTests.LoadTesting.Load;

namespace UnitTests.LoadTesting.Http;

[Collection(TimedCollection.Name)]
public sealed class WorkerSweepTests
{
    private const string Wrk = """
        Running 3s test @ http://127.0.0.1:5000/
          1 threads and 100 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency     1.85ms    1.27ms  34.50ms   90.83%
            Req/Sec    53.93k     5.51k   61.64k    73.33%
          Latency Distribution
             50%    1.63ms
             75%    2.10ms
             90%  902.00us
             99%    7.07ms
          161042 requests in 3.00s, 18.89MB read
        Requests/sec:  53600.10
        Transfer/sec:      6.29MB
        """;

    private const string Hey = """
        Summary:
          Total:	3.0012 secs
          Slowest:	0.0381 secs
          Requests/sec:	30000.0000

        Latency distribution:
          10% in 0.0008 secs
          50% in 0.0021 secs
          95% in 0.0070 secs
          99% in 0.0110 secs

        Status code distribution:
          [200]	60000 responses
          [503]	20000 responses

        Error distribution:
          [10000]	Get "http://127.0.0.1:5000/": EOF
        """;

    private const string Autocannon = """
        {"title":null,"url":"http://127.0.0.1:5000","connections":100,"duration":3,"errors":1,"timeouts":1,"non2xx":2,"2xx":75000,
         "latency":{"average":3.5,"p50":3,"p97_5":8,"p99":10},"requests":{"average":25000,"total":75000}}
        """;

    [Fact]
    public void Errors_of_external_generators_are_not_requests()
    {
        var wrk = Client("wrk").Read(Wrk)!;
        Assert.Equal((161_042L, 53_600.10, 0L, 1.63, 7.07),
            (wrk.Requests, wrk.RequestsPerSecond, wrk.Errors, wrk.P50Ms, wrk.P99Ms));
        Assert.Null(wrk.P95Ms);

        var failing = Client("wrk").Read(Wrk.Replace(
            "Requests/sec:",
            "  Socket errors: connect 1, read 2, write 0, timeout 3\n  Non-2xx or 3xx responses: 61042\nRequests/sec:",
            StringComparison.Ordinal))!;
        Assert.Equal((100_000L, 61_048L), (failing.Requests, failing.Errors));
        Assert.InRange(failing.RequestsPerSecond, 33_000, 33_300);

        var hey = Client("hey").Read(Hey)!;
        Assert.Equal((60_000L, 20_000.0, 30_000L), (hey.Requests, hey.RequestsPerSecond, hey.Errors));
        Assert.Equal((2.1, 7, 11), (hey.P50Ms, hey.P95Ms, hey.P99Ms));
        Assert.Contains("EOF", hey.Error, StringComparison.Ordinal);

        var autocannon = Client("autocannon").Read(Autocannon)!;
        Assert.Equal((75_000L, 25_000.0, 3L), (autocannon.Requests, autocannon.RequestsPerSecond, autocannon.Errors));
        Assert.Equal((3.0, 10), (autocannon.P50Ms, autocannon.P99Ms));

        Assert.All(OutsideClient.Known, client => Assert.Null(client.Read("unable to connect to 127.0.0.1")));
    }

    [Fact]
    public Task Sweep_measures_every_client_at_every_step_in_turning_order() => RealTime.HoldsAsync(async () =>
    {
        await using var server = ScriptedServer.Answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        var options = new SweepOptions
        {
            Target = new Uri(server.Address, "/a"), Clients = [SweepClient.Lean, SweepClient.OverHttpClient],
            Workers = [1, 3], Rounds = 2,
            Duration = TimeSpan.FromMilliseconds(200),
        };
        var order = new List<string>();

        var result = await WorkerSweep.RunAsync(
            options, (round, workers, client, _) => order.Add($"{round} {workers} {client}"),
            TestContext.Current.CancellationToken);

        Assert.Equal(
            [
                "0 1 lean", "0 1 httpclient", "0 3 lean", "0 3 httpclient",
                "1 1 httpclient", "1 1 lean", "1 3 httpclient", "1 3 lean",
            ], order);
        Assert.All(result.Steps, step =>
        {
            Assert.Equal((2, 0L), (step.Samples.Count, step.Errors));
            Assert.InRange(step.RequestsPerSecond, 1, 10_000_000);
            Assert.All(step.Samples, sample => Assert.True(sample.P50Ms > 0 && sample.P99Ms >= sample.P50Ms));
        });
        Assert.Equal(1, result.At(3, "lean").Over(result.At(3, "lean")));
        var table = Assert.Single(SweepTables.Of(result));
        Assert.Equal(["1 worker", "lean", "httpclient", "3 workers", "lean", "httpclient"],
            table.Rows.Select(row => row.Cells[0]));
        Assert.All(
            table.Rows.Where(row => row.Cells.Count > 1), row => Assert.Equal(table.Columns.Count, row.Cells.Count));
        Assert.Contains("polyline", SweepHtml.Render(result), StringComparison.Ordinal);
    });

    [Fact]
    public Task Errors_of_a_client_are_counted_but_are_not_a_rate() => RealTime.HoldsAsync(async () =>
    {
        await using var server = ScriptedServer.Answering("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
        var options = new SweepOptions
        {
            Target = server.Address, Clients = SweepClient.BuiltIn, Workers = [2], Rounds = 1,
            Duration = TimeSpan.FromMilliseconds(200),
        };

        var result = await WorkerSweep.RunAsync(options, null, TestContext.Current.CancellationToken);

        Assert.All(result.Steps, step =>
        {
            Assert.Equal(0, step.RequestsPerSecond);
            Assert.True(step.Errors > 0);
            Assert.Contains("503", step.Samples[0].Error, StringComparison.Ordinal);
        });
        Assert.All(
            SweepTables.Statements(result), words => Assert.EndsWith("errors.", words, StringComparison.Ordinal));
    });

    [Fact]
    public async Task Sweep_that_cannot_be_made_names_everything_that_is_wrong()
    {
        var options = new SweepOptions
        {
            Target = new Uri("http://127.0.0.1:1"), Clients = [SweepClient.Lean, SweepClient.Lean], Workers = [0, 5, 5],
            Rounds = 0,
            Duration = TimeSpan.FromMilliseconds(10),
        };

        var error = await Assert.ThrowsAsync<ArgumentException>(() =>
            WorkerSweep.RunAsync(options, null, TestContext.Current.CancellationToken));

        Assert.All(
            ["lean, lean", "0, 5, 5", "0 rounds", "00:00:00.0100000"],
            words => Assert.Contains(words, error.Message, StringComparison.Ordinal));
    }

    private static OutsideClient Client(string name) => OutsideClient.Known.Single(client => client.Name == name);
}
