using LoadTesting.Core.Http;
using LoadTesting.Core.Http.Streams;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Histograms;
using LoadTesting.Core.Results;
using PerformanceTesting.Subjects.Streams;

namespace Benchmarks;

/// <summary>
/// How long a publication takes to 5,000 event streams of the service (memory store), beside bare sockets: a loop that
/// sends a little less to as many connections, and the loop that also reads the streams. Bare sockets show the
/// kernel's part, which is the lower bound.
/// </summary>
internal static class EventFanOut
{
    private const int Clients = 5_000;
    private const int DeliveriesPerSecond = 4_000;
    private const string Service = "event streams";
    private const string Bare = "bare sockets";
    private const string Share = "p99 of event streams over bare sockets";

    /// <summary>Less than a frame of a registered definition takes, some 650: it favours the bare sockets.</summary>
    private const int FrameBytes = 512;

    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds((double)Clients / DeliveriesPerSecond);

    public static async Task RunAsync(BenchmarkOptions options, CancellationToken cancellationToken)
    {
        if (!EpollLoops.IsSupported)
        {
            throw new InvalidOperationException(
                "event-fan-out needs Linux of 64 bits: elsewhere the streams are read in another way.");
        }

        new StreamLimits().Check(3 * Clients); // Of the streams, and both ends of the bare sockets.
        var rounds =
            new Rounds($"a publication every {s_interval.TotalSeconds} s to {Clients:N0} connections, {FrameBytes} bytes each");
        await using var subject = await StreamSubject.StartAsync(
            "memory", Clients, new Dictionary<string, string>(StringComparer.Ordinal), cancellationToken);
        var publications = Math.Max(1, (int)(options.Duration / s_interval));
        await subject.WarmUpAsync(() => PublishAsync(Simulation.IterationsForConstant(1, 100), first: 0));
        subject.BeginMeasuring();
        using var sockets = await BareFanOut.ConnectAsync(Clients, FrameBytes, cancellationToken);
        _ = sockets.Send(publications, TimeSpan.Zero);
        for (var round = 0; round < options.Rounds; round++)
        {
            await ForeignLoad.WaitForQuietAsync(options.WaitForQuiet, cancellationToken);
            var bare = sockets.Send(publications, s_interval);
            await subject.OpenAsync(cancellationToken);
            await PublishAsync(Simulation.IterationsForInject(1, s_interval, publications), (long)round * publications);
            var streams = subject.Streams.Result();
            if (streams.Checks().FirstOrDefault(check => check.Outcome != CheckOutcome.Passed) is { } failed)
            {
                throw new InvalidOperationException($"{failed.Name}: {failed.Reason}, so there is no time.");
            }

            Add(Bare, bare);
            Add(Service, streams.Propagation);
            rounds.Add(Share, streams.Propagation.PercentileMs(99) / bare.PercentileMs(99));
        }

        rounds.Print();
        Rounds.Target(Share, rounds.Median(Share), 1.5, atLeast: false);

        void Add(string name, LatencyHistogram times)
        {
            rounds.Add($"{name}, publication to each client, p50 ms", times.PercentileMs(50));
            rounds.Add($"{name}, publication to each client, p99 ms", times.PercentileMs(99));
        }

        async Task PublishAsync(LoadSimulation load, long first)
        {
            var scenario =
                Scenario.Create("publish", context => PublishOneAsync(context, first + context.IterationNumber))
                .WithMaxFailCount(0).WithLoadSimulations(load);
            var result = await new LoadRunner().RunAsync([scenario], new LoadOptions(), cancellationToken);
            if (result.Scenarios[0].Errors is [var error, ..])
            {
                throw new InvalidOperationException($"A publication failed, so there is no time: "
                    + $"{error.Code} {error.Message}");
            }
        }

        async Task<IResponse> PublishOneAsync(IScenarioContext context, long number)
        {
            var publication = subject.Streams.FanOut.Publish(number);
            var reply = await subject.PublishAsync(context, number);
            if (reply.Status != 201)
            {
                return Response.Fail($"{reply.Status}", Encoding.UTF8.GetString(reply.Body.Span));
            }

            await publication.Everywhere.WaitAsync(cancellationToken);
            return Response.Ok();
        }
    }
}
