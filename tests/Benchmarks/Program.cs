using Benchmarks;

var known = new Dictionary<string, Func<BenchmarkContext, CancellationToken, Task>>(StringComparer.Ordinal)
{
    ["signal-roundtrip"] = SignalRoundtrip.RunAsync,
    ["serial-latency"] = SerialLatency.RunAsync,
    ["http-linear"] = HttpLinear.RunAsync,
    ["http-roundtrip"] = HttpRoundtrip.RunAsync,
    ["grown-store"] = GrownStore.RunAsync,
    ["held-snapshot"] = HeldSnapshot.RunAsync,
    ["dormant"] = DormantWakeups.RunAsync,
    ["open-load"] = OpenLoad.RunAsync,
    ["nodes"] = Nodes.RunAsync,
    ["notifications"] = Notifications.RunAsync,
    ["events"] = EventConsumers.RunAsync,
    ["generator"] = GeneratorCost.RunAsync,
};

// These need no database.
var alone = new Dictionary<string, Func<BenchmarkOptions, CancellationToken, Task>>(StringComparer.Ordinal)
{
    ["http-senders"] = HttpSenders.RunAsync,
    ["progress"] = ProgressCost.RunAsync,
    ["timeline"] = TimelineCost.RunAsync,
    ["event-fan-out"] = EventFanOut.RunAsync,
    [GateErrorRates.Name] = GateErrorRates.RunAsync,
    [CompareErrorRates.Name] = CompareErrorRates.RunAsync,
};

BenchmarkOptions options;
try
{
    options = BenchmarkOptions.Parse(args);
}
catch (ArgumentException e)
{
    return await RefuseAsync($"{e.Message} ");
}

// Error rates are of the instrument, and take some ten minutes each: they are not part of all.
string[] rates = [GateErrorRates.Name, CompareErrorRates.Name];
string[] names = options.Names.Contains("all") ? [.. known.Keys, .. alone.Keys.Except(rates)] : [.. options.Names];
var unknown = options.Names.FirstOrDefault(n => n != "all" && !known.ContainsKey(n) && !alone.ContainsKey(n));
if (names.Length == 0 || unknown is not null)
{
    return await RefuseAsync(unknown is not null ? $"Unknown benchmark '{unknown}'. " : "");
}

using var interrupted = new CancellationTokenSource();
Console.CancelKeyPress += (_, e) =>
{
    e.Cancel = true;
    interrupted.Cancel();
};
try
{
    if (names.Contains("http-linear"))
    {
        // Missing it is found out now, not after the other benchmarks' minutes.
        await HeyClient.RequireAsync(interrupted.Token);
    }

    foreach (var name in names.Where(alone.ContainsKey))
    {
        await alone[name](options, interrupted.Token);
    }

    if (names.Any(known.ContainsKey))
    {
        await using var context = await BenchmarkContext.CreateAsync(options, interrupted.Token);
        foreach (var name in names.Where(known.ContainsKey))
        {
            await known[name](context, interrupted.Token);
        }
    }

    return 0;
}
catch (Exception e) when (e is InvalidOperationException or BackendException or WebServiceException)
{
    await Console.Error.WriteLineAsync(e.Message);
    return 1;
}

async Task<int> RefuseAsync(string reason)
{
    await Console.Error
        .WriteLineAsync($"{reason}Usage: dotnet run --project tests/Benchmarks -- "
            + $"<{string.Join('|', known.Keys.Concat(alone.Keys))}|all> "
        + "[--rounds=5] [--seconds=5] [--wait-for-quiet=<seconds>] [--stock=100000] [--timers=<n>] [--kills=<n>] "
        + "[--load-seconds=<n>] [--allow-not-durable]");
    return 2;
}
