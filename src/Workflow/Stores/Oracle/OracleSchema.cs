using Foundation;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.Oracle;

/// <summary>
/// The user's schema. Its files are statements that may be run again, divided by lines with a slash, since every change
/// of tables commits by itself. A lock on the table of versions, held by a session that changes nothing else, keeps
/// other processes waiting.
/// </summary>
/// <param name="guard">Holds the lock and writes the versions.</param>
/// <param name="changes">Changes the tables.</param>
/// <param name="target">For messages.</param>
internal sealed class OracleSchema(OracleSession guard, OracleSession changes, OracleTarget target) : ISchemaTarget
{
    /// <summary>A table or index has the name, a column is there, a constraint has the name.</summary>
    private static readonly int[] IsThere = [955, 1430, 2264];

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(25);

    /// <summary>Of a change, which may read a whole table.</summary>
    private static readonly TimeSpan ChangeLimit = OracleDatabase.LoadLimit;

    public string Description => $"{target}: the schema";

    public async Task ApplyAsync(CancellationToken cancellationToken)
    {
        var transaction = await guard.BeginAsync(cancellationToken).ConfigureAwait(false);
        await using (transaction.ConfigureAwait(false))
        {
            await SchemaMigration.ApplyAsync(this, SchemaFile.Of(typeof(OracleSchema).Assembly), cancellationToken)
                .ConfigureAwait(false);
            await transaction.CommitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    public async Task<bool> IsBeforeReleaseAsync(CancellationToken cancellationToken) =>
        (await guard.ListAsync(Sql.Schema["is_before_release"], r => r.GetInt32(0), Limit, cancellationToken)
            .ConfigureAwait(false))[0] > 0;

    public async Task PrepareAsync(CancellationToken cancellationToken)
    {
        await ChangeAsync(Sql.Schema["create_versions"], cancellationToken).ConfigureAwait(false);
        await guard.RunAsync(Sql.Schema["lock_versions"], Limit, cancellationToken).ConfigureAwait(false);
    }

    public async Task<int> ReadVersionAsync(CancellationToken cancellationToken) =>
        (await guard.ListAsync(Sql.Schema["read_version"], r => r.GetInt32(0), Limit, cancellationToken)
            .ConfigureAwait(false))[0];

    public async Task ApplyAsync(SchemaFile file, CancellationToken cancellationToken)
    {
        await changes.RunAsync(Sql.Schema["wait_for_writers"], Limit, cancellationToken).ConfigureAwait(false);
        foreach (var statement in file.Text.Split(
            "\n/\n", StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            await ChangeAsync(statement, cancellationToken).ConfigureAwait(false);
        }

        var version = Bind.Number("p_version", file.Version);
        await guard.RunAsync(Sql.Schema["add_version"], Limit, cancellationToken, version).ConfigureAwait(false);
    }

    public Exception Refuse(string message) => new StoreUnavailableException(message, outcomeUnknown: false);

    private async Task ChangeAsync(string statement, CancellationToken cancellationToken)
    {
        try
        {
            await changes.RunAsync(statement, ChangeLimit, cancellationToken).ConfigureAwait(false);
        }
        catch (System.Data.Common.DbException e) when (DriverErrors.Code(e) is { } code && IsThere.Contains(code))
        {
            // It is there: an earlier attempt broke off after it.
        }
    }
}
