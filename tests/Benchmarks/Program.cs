using System.Globalization;
using Benchmarks;

var known = new Dictionary<string, Func<BenchmarkContext, CancellationToken, Task>>(StringComparer.Ordinal)
{
    ["signal-roundtrip"] = SignalRoundtrip.RunAsync,
    ["serial-latency"] = SerialLatency.RunAsync,
    ["http-linear"] = HttpLinear.RunAsync,
    ["events"] = EventTransport.RunAsync,
};

var names = args.Where(a => !a.StartsWith("--", StringComparison.Ordinal)).ToArray();
var unknown = names.Where(n => n != "all" && !known.ContainsKey(n)).ToArray();
if (names.Length == 0 || unknown.Length > 0)
{
    await Console.Error.WriteLineAsync($"{(unknown.Length > 0 ? $"Unknown benchmark '{unknown[0]}'. " : "")}Usage: dotnet run --project tests/Benchmarks -- <{string.Join('|', known.Keys)}|all> [--rounds=5] [--seconds=5]");
    return 2;
}

using var interrupted = new CancellationTokenSource();
Console.CancelKeyPress += (_, e) =>
{
    e.Cancel = true;
    interrupted.Cancel();
};
await using var context = await BenchmarkContext.CreateAsync(Number("rounds", 5), TimeSpan.FromSeconds(Number("seconds", 5)), interrupted.Token);
foreach (var name in names.Contains("all") ? known.Keys.ToArray() : names)
{
    await known[name](context, interrupted.Token);
}

return 0;

int Number(string option, int otherwise)
{
    var text = args.FirstOrDefault(a => a.StartsWith($"--{option}=", StringComparison.Ordinal))?[(option.Length + 3)..];
    return text is null ? otherwise
        : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number > 0 ? number
        : throw new ArgumentException($"--{option}={text} is not a whole number above 0.");
}
