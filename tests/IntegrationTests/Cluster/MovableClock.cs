namespace IntegrationTests.Cluster;

/// <summary>
/// What the programs of a machine take for the time of day, by libfaketime; how long something takes stays right, as
/// when somebody sets the clock.
/// </summary>
internal sealed class MovableClock : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("workflow-clock-").FullName;
    private readonly HttpClient _http = new();

    private MovableClock(string library)
    {
        Variables = new Dictionary<string, string>
        {
            ["LD_PRELOAD"] = library,
            ["FAKETIME_TIMESTAMP_FILE"] = Offset,
            ["FAKETIME_CACHE_DURATION"] = "1",
            ["FAKETIME_DONT_FAKE_MONOTONIC"] = "1",
            // Without it every wait for a span of time ends at once, and .NET's timers take both processors.
            ["FAKETIME_FORCE_MONOTONIC_FIX"] = "0",
        };
        Set(0);
        if (!OperatingSystem.IsWindows())
        {
            // The server's user reads it too.
            File.SetUnixFileMode(_directory, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute
                | UnixFileMode.GroupRead | UnixFileMode.GroupExecute | UnixFileMode.OtherRead
                | UnixFileMode.OtherExecute);
        }
    }

    /// <summary>The environment of a program that has this clock.</summary>
    public IReadOnlyDictionary<string, string> Variables { get; }

    private static double Now => TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds() / 1000.0;

    private string Offset => Path.Combine(_directory, "offset");

    /// <summary>Null where libfaketime is not installed.</summary>
    public static MovableClock? TryCreate() =>
        (Directory.Exists("/usr/lib") ? Directory.EnumerateDirectories("/usr/lib") : []).Prepend("/usr/lib")
            .Select(directory => Path.Combine(directory, "faketime", "libfaketimeMT.so.1"))
            .FirstOrDefault(File.Exists) is { } library
            ? new(library)
            : null;

    /// <summary>The same programs, of which the server has this clock.</summary>
    public PostgresBinaries Move(PostgresBinaries binaries)
    {
        foreach (var program in new[] { binaries.Initdb, binaries.PgCtl })
        {
            File.CreateSymbolicLink(Path.Combine(_directory, Path.GetFileName(program)), program);
        }

        var moved = new PostgresBinaries(_directory);
        var variables = string.Join(' ', Variables.Select(variable => $"{variable.Key}='{variable.Value}'"));
        // The server looks for its files beside itself.
        var server = File.ResolveLinkTarget(binaries.Postgres, returnFinalTarget: true)?.FullName ?? binaries.Postgres;
        File.WriteAllText(moved.Postgres, $"#!/bin/sh\nexec env {variables} '{server}' \"$@\"\n");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(moved.Postgres, File.GetUnixFileMode(_directory));
        }

        return moved;
    }

    /// <summary>Sets it, and waits until the server and every node have seen that.</summary>
    /// <param name="seconds">From the time that it really is.</param>
    public async Task JumpAsync(int seconds, ServiceCluster cluster, PostgresServer server)
    {
        Set(seconds);
        await Eventually.BecomesAsync(
            async () => (await Task.WhenAll(
                cluster.Nodes.Select(node => OffsetAsync(node.BaseAddress)).Append(OffsetAsync(server))))
                .Select(offset => offset - seconds),
            offsets => offsets.All(offset => Math.Abs(offset) < 5),
            offsets => $"clocks to be set by {seconds} s; they are off by {string.Join(", ", offsets)}");
    }

    public void Dispose()
    {
        _http.Dispose();
        Directory.Delete(_directory, recursive: true);
    }

    private static async Task<double> OffsetAsync(PostgresServer server) =>
        (double)(decimal)(await Statements.ScalarAsync(
        server.AdministrationConnectionString, "select extract(epoch from clock_timestamp())"))! - Now;

    private async Task<double> OffsetAsync(Uri node)
    {
        using var response = await _http.GetAsync(new Uri(node, "health/live"), Cancel);
        return response.Headers.Date!.Value.ToUnixTimeSeconds() - Now;
    }

    private void Set(int seconds)
    {
        // As a whole: a program that reads half of it takes another time.
        var next = Offset + ".next";
        File.WriteAllText(next, seconds.ToString("+0;-0;+0", CultureInfo.InvariantCulture));
        File.Move(next, Offset, overwrite: true);
    }
}
