using Workflow.Contracts.Instances;

namespace Benchmarks;

/// <summary>
/// What many dormant instances cost: memory of the service, recovery, wake-ups beside the same work with resident
/// instances, log, and timers that are due together.
/// </summary>
internal static class DormantWakeups
{
    private const int InFlight = 256;
    private const int SerialOperations = 200;
    private const int MostInRound = 20_000;
    private const int PagesOfEach = 50;
    private const int LargePages = 100;
    private const int LargePage = 1_000;
    private const int LoadLoops = 64;
    private const double Megabyte = 1_048_576;
    private const string Serial = "serial p50, signal to completion, ms";
    private const string Rate = "256 in flight, signals to completion/s";
    private static readonly TimeSpan s_loadBeforeCrash = TimeSpan.FromSeconds(3);

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds($"{context.Stock:N0} dormant instances, service with default settings");
        await DormantLog.MeasureAsync(context, rounds, cancellationToken);
        var stock = await DormantStock.MakeAsync(context, rounds, cancellationToken);
        var (service, loaded) = await DormantService.StartAsync(context, stock, cancellationToken);
        await using (service)
        {
            rounds.Add("first start, which counts the stock: start accepted, s", loaded.TotalSeconds);
            AddPeak(rounds, service, "after the start");
            await ListAsync(service, stock, rounds, cancellationToken);
            AddPeak(rounds, service, "after lists");
            await service.JoinAsync(cancellationToken);
            await WarmUpAsync(service, stock, cancellationToken);
            for (var round = 0; round < context.Rounds; round++)
            {
                await context.BeginRoundAsync(rounds, cancellationToken);
                await MeasureSerialAsync(service, stock, rounds, cancellationToken);
                await MeasureRateAsync(service, stock, rounds, round % 2 == 1, cancellationToken);
            }

            AddPeak(rounds, service, "after wake-ups");
            await LoadAsync(service, stock, context.Load, rounds, cancellationToken);
            AddPeak(rounds, service, "after the load");
            for (var round = 0; round < context.Rounds; round++)
            {
                await RecoverAsync(service, stock, rounds, cancellationToken);
            }

            if (context.Kills > 0)
            {
                await DormantTakeover.MeasureAsync(context, service, stock, rounds, cancellationToken);
            }

            AddPeak(rounds, service, "of the last process");
            rounds.Print();
            PrintTargets(context, rounds);
            if (context.Timers > 0)
            {
                await DormantTimers.MeasureAsync(
                    context, service, stock, rounds.Median($"{Rate}, resident"), cancellationToken);
            }

            await service.StopAsync(cancellationToken);
            await stock.AuditAsync(service.Started, cancellationToken);
        }
    }

    private static void PrintTargets(BenchmarkContext context, Rounds rounds)
    {
        Rounds.Target("peak memory, MB", rounds.Median(Peak("after the load")), 500, atLeast: false);
        Rounds.Target("ready after a kill, s", rounds.Median("killed and started: ready, s"), 3, atLeast: false);
        Rounds.Target("first start accepted behind ready, s",
            rounds.Median("killed and started: start accepted behind ready, s"), 2, atLeast: false);
        Rounds.Target("first signal to a dormant instance applied, s",
            rounds.Median("killed and started: signal to a dormant instance applied, s"), 3, atLeast: false);
        Rounds.Target("serial p50 of a dormant instance, of a resident one's", rounds.Median($"{Serial}, ratio"), 2,
            atLeast: false);
        Rounds.Target("rate of dormant instances, of the resident rate", rounds.Median($"{Rate}, ratio"), 0.5,
            atLeast: true);
        Rounds.Target(DormantLog.WithoutImages, rounds.Median(DormantLog.WithoutImages), 2_600, atLeast: false);
        if (context.Kills > 0)
        {
            Rounds.Target(DormantTakeover.P95, rounds.Median(DormantTakeover.P95), 3, atLeast: false);
        }
    }

    private static string Peak(string when) => $"peak resident memory {when}, MB";

    private static void AddPeak(Rounds rounds, DormantService service, string when) =>
        rounds.Add(Peak(when), service.PeakBytes / Megabyte);

    private static async Task ListAsync(
        DormantService service, DormantStock stock, Rounds rounds, CancellationToken cancellationToken)
    {
        var client = service.Process.Client;
        Guid? after = null;
        for (var page = 0; page < Math.Min(LargePages, stock.Count / LargePage); page++)
        {
            var since = Stopwatch.GetTimestamp();
            var list = await client.ListInstancesAsync(
                state: InstanceState.Waiting, after: after, limit: LargePage, cancellationToken: cancellationToken);
            rounds.Add("list, page of 1,000 that wait, ms", Stopwatch.GetElapsedTime(since).TotalMilliseconds);
            after = list.Next;
        }

        for (var page = 0; page < PagesOfEach; page++)
        {
            var since = Stopwatch.GetTimestamp();
            var key = stock.Peek(page);
            var found = await client.ListInstancesAsync(correlationKey: key, cancellationToken: cancellationToken);
            if (found.Items.Count != 1)
            {
                throw new InvalidOperationException($"{found.Items.Count} instances have the key '{key}'; 1 should.");
            }

            rounds.Add("list by key, ms", Stopwatch.GetElapsedTime(since).TotalMilliseconds);
            since = Stopwatch.GetTimestamp();
            await client.ListInstancesAsync(
                startedFrom: found.Items[0].CreatedUtc, limit: 100, cancellationToken: cancellationToken);
            rounds.Add("list, 100 of those started from an instant on, ms",
                Stopwatch.GetElapsedTime(since).TotalMilliseconds);
            since = Stopwatch.GetTimestamp();
            await client.ListInstancesAsync(
                state: InstanceState.Failed, limit: 100, cancellationToken: cancellationToken);
            rounds.Add("list, none that failed, ms", Stopwatch.GetElapsedTime(since).TotalMilliseconds);
            since = Stopwatch.GetTimestamp();
            await client.ListInstancesAsync(
                state: InstanceState.Suspended, limit: 100, cancellationToken: cancellationToken);
            rounds.Add("list, none that are suspended, ms", Stopwatch.GetElapsedTime(since).TotalMilliseconds);
        }
    }

    private static async Task WarmUpAsync(
        DormantService service, DormantStock stock, CancellationToken cancellationToken)
    {
        var each = Math.Min(MostInRound, stock.Count / 40);
        await service.WarmUpAsync(() => ClosedLoop.RunAsync(
            InFlight, WarmUpRule.Slice, async token =>
                await service.CompleteAsync(await service.StartInstanceAsync(token), token), cancellationToken));
        await ClosedLoop.RunCountAsync(
            InFlight, each, token => service.CompleteAsync(stock.Take(), token), cancellationToken);
    }

    private static async Task MeasureSerialAsync(
        DormantService service, DormantStock stock, Rounds rounds, CancellationToken cancellationToken)
    {
        var (dormant, resident) = (new List<double>(SerialOperations), new List<double>(SerialOperations));
        while (resident.Count < SerialOperations)
        {
            dormant.Add((await service.CompleteAsync(stock.Take(), cancellationToken)).TotalMilliseconds);
            var key = await service.StartInstanceAsync(cancellationToken);
            resident.Add((await service.CompleteAsync(key, cancellationToken)).TotalMilliseconds);
        }

        var (p50, peer) = (Median(dormant), Median(resident));
        rounds.Add($"{Serial}, dormant", p50);
        rounds.Add($"{Serial}, resident", peer);
        rounds.Add($"{Serial}, ratio", p50 / peer);
    }

    private static double Median(List<double> values) => values.Order().ElementAt(values.Count / 2);

    private static async Task MeasureRateAsync(
        DormantService service, DormantStock stock, Rounds rounds, bool isDormantFirst,
        CancellationToken cancellationToken)
    {
        var each = Math.Min(MostInRound, stock.Count / 20);
        var first = await RateAsync(isDormantFirst);
        var second = await RateAsync(!isDormantFirst);
        var (dormant, resident) = isDormantFirst ? (first, second) : (second, first);
        rounds.Add($"{Rate}, dormant", dormant);
        rounds.Add($"{Rate}, resident", resident);
        rounds.Add($"{Rate}, ratio", dormant / resident);

        async Task<double> RateAsync(bool isDormant)
        {
            var keys = new ConcurrentQueue<string>();
            await ClosedLoop.RunCountAsync(
                InFlight, each, async token =>
                    keys.Enqueue(isDormant ? stock.Take() : await service.StartInstanceAsync(token)),
                cancellationToken);
            var before = (await service.CountAsync(cancellationToken)).Wakeups;
            var seconds = await ClosedLoop.RunCountAsync(
                InFlight, each, async token => await service.CompleteAsync(
                    keys.TryDequeue(out var key) ? key : throw new UnreachableException(), token), cancellationToken);
            var wakeups = (await service.CountAsync(cancellationToken)).Wakeups - before;
            return wakeups == (isDormant ? each : 0)
                ? each / seconds
                : throw new InvalidOperationException(
                    $"{each} {(isDormant ? "dormant" : "resident")} instances were signalled and {wakeups} came into "
                    + "memory: there is no rate.");
        }
    }

    /// <summary>Starts that wait until their time is over, round trips, and wake-ups, all at once.</summary>
    private static async Task LoadAsync(
        DormantService service, DormantStock stock, TimeSpan duration, Rounds? rounds,
        CancellationToken cancellationToken)
    {
        var (mayWake, woken) = (stock.Left / 4, 0L);
        var (operations, seconds) = await ClosedLoop.RunAsync(
            LoadLoops, duration,
            async token =>
            {
                await service.StartInstanceAsync(token);
                if (Interlocked.Increment(ref woken) <= mayWake)
                {
                    await service.CompleteAsync(stock.Take(), token);
                }

                await service.CompleteAsync(await service.StartInstanceAsync(token), token);
            },
            cancellationToken);
        rounds?.Add("load, 2 starts and 2 signals each: operations/s", operations / seconds);
        rounds?.Add("load, seconds", seconds);
    }

    /// <summary>Kills the service under load and starts it again.</summary>
    private static async Task RecoverAsync(
        DormantService service, DormantStock stock, Rounds rounds, CancellationToken cancellationToken)
    {
        await LoadAsync(service, stock, s_loadBeforeCrash, rounds: null, cancellationToken);
        rounds.Add("resident instances at the kill",
            (await service.CountAsync(cancellationToken)).ResidentInstances ?? 0);
        await service.Process.KillAsync(cancellationToken);
        await service.LeaveAsync();
        var (ready, start, wake) = await service.RestartAsync(cancellationToken);
        rounds.Add("killed and started: ready, s", ready.TotalSeconds);
        rounds.Add("killed and started: start accepted, s", start.TotalSeconds);
        rounds.Add("killed and started: start accepted behind ready, s", Math.Max(0, (start - ready).TotalSeconds));
        rounds.Add("killed and started: signal to a dormant instance applied, s", wake.TotalSeconds);
        await service.JoinAsync(cancellationToken);
    }
}
