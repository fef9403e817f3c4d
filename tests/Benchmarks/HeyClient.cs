using System.ComponentModel;
using System.Text.RegularExpressions;

namespace Benchmarks;

/// <summary>
/// <c>hey</c>, an HTTP load generator that shares no code with the service: a closed loop on each of a number of
/// kept-alive connections.
/// </summary>
internal sealed partial class HeyClient(int connections)
{
    private const string Program = "hey";

    /// <exception cref="InvalidOperationException">It is not installed; says how to get it.</exception>
    public static async Task RequireAsync(CancellationToken cancellationToken)
    {
        try
        {
            // Without an address it prints its usage and ends.
            await Command.RunAsync(Program, [], environment: null, cancellationToken);
        }
        catch (Win32Exception e)
        {
            throw new InvalidOperationException(
                "http-linear needs the outside client 'hey', which is not on PATH. "
                    + "Install it with: apt-get install -y hey", e);
        }
    }

    /// <summary>Gets the address over and over.</summary>
    public Task<HeyResult> GetAsync(Uri address, TimeSpan duration, CancellationToken cancellationToken) =>
        RunAsync([], address, duration, cancellationToken);

    /// <summary>Posts the same JSON over and over.</summary>
    public Task<HeyResult> PostAsync(
        Uri address, string json, TimeSpan duration, CancellationToken cancellationToken) =>
        RunAsync(["-m", "POST", "-T", "application/json", "-d", json], address, duration, cancellationToken);

    private async Task<HeyResult> RunAsync(
        string[] request, Uri address, TimeSpan duration, CancellationToken cancellationToken)
    {
        var seconds = string.Create(CultureInfo.InvariantCulture, $"{(int)duration.TotalSeconds}s");
        var count = connections.ToString(CultureInfo.InvariantCulture);
        var run = await Command.RunAsync(
            Program, ["-z", seconds, "-c", count, .. request, address.ToString()], environment: null,
            cancellationToken);
        return Parse(run);
    }

    private static HeyResult Parse(CommandResult run)
    {
        var rate = Rate().Match(run.Output);
        if (!run.Succeeded || !rate.Success)
        {
            throw new InvalidOperationException($"hey reported no rate: {run.Describe()}");
        }

        var statuses =
            Statuses().Matches(run.Output).ToDictionary(m => Int(m.Groups[1].Value), m => Long(m.Groups[2].Value));
        var errors = run.Output.IndexOf("Error distribution:", StringComparison.Ordinal);
        return new(
            double.Parse(rate.Groups[1].Value, CultureInfo.InvariantCulture), statuses,
            errors < 0 ? "" : run.Output[errors..].Trim());

        static int Int(string text) => int.Parse(text, CultureInfo.InvariantCulture);
        static long Long(string text) => long.Parse(text, CultureInfo.InvariantCulture);
    }

    [GeneratedRegex(@"Requests/sec:\s+([0-9.]+)")]
    private static partial Regex Rate();

    [GeneratedRegex(@"\[(\d{3})\]\s+(\d+) responses")]
    private static partial Regex Statuses();
}
