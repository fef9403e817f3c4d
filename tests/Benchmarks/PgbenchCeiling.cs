using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using IntegrationTests.Shared.Backends;
using Npgsql;

namespace Benchmarks;

/// <summary>What the server gives to a client that does nothing but commit: <c>pgbench</c>, prepared one-row inserts.</summary>
internal sealed partial class PgbenchCeiling(string connectionString, TimeSpan duration)
{
    private readonly string _script = Path.Combine(Path.GetTempPath(), $"one-row-insert-{Environment.ProcessId}.sql");

    public async Task PrepareAsync(CancellationToken cancellationToken)
    {
        await using var connection = new NpgsqlConnection(connectionString);
        await connection.OpenAsync(cancellationToken);
        await using var command = new NpgsqlCommand("create table if not exists one_row (id bigint generated always as identity primary key, payload text not null)", connection);
        await command.ExecuteNonQueryAsync(cancellationToken);
        await File.WriteAllTextAsync(_script, $"insert into one_row (payload) values ('{new string('x', 100)}');\n", cancellationToken);
    }

    /// <summary>Commits per second with so many clients.</summary>
    public async Task<double> CommitsPerSecondAsync(int clients, CancellationToken cancellationToken)
    {
        var target = new NpgsqlConnectionStringBuilder(connectionString);
        var pgbench = Path.Combine(PostgresBinaries.Find()?.Directory ?? throw new InvalidOperationException("pgbench was not found; install the PostgreSQL server package."), "pgbench");
        var seconds = ((int)duration.TotalSeconds).ToString(CultureInfo.InvariantCulture);
        var start = new ProcessStartInfo(pgbench)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            ArgumentList =
            {
                "--no-vacuum", "--protocol=prepared", $"--client={clients}", $"--jobs={Math.Min(clients, 2)}", $"--time={seconds}", $"--file={_script}",
                "--host", target.Host!, "--port", target.Port.ToString(CultureInfo.InvariantCulture), "--username", target.Username!, target.Database!,
            },
        };
        start.Environment["PGPASSWORD"] = target.Password;
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync(cancellationToken);
        var errors = process.StandardError.ReadToEndAsync(cancellationToken);
        await process.WaitForExitAsync(cancellationToken);
        var match = Tps().Match(await output);
        return match.Success
            ? double.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture)
            : throw new InvalidOperationException($"pgbench ended with {process.ExitCode} and told no rate: {await errors}");
    }

    [GeneratedRegex(@"tps = ([0-9.]+)")]
    private static partial Regex Tps();
}
