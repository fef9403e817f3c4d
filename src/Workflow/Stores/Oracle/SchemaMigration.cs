using Workflow.Abstractions.Exceptions;
using Workflow.Stores.Oracle.Driver;

namespace Workflow.Stores.Oracle;

/// <summary>
/// Brings the user's schema up to date: numbered files, each of statements that may be run again, since every change of tables commits by itself. A lock
/// on the table of versions, held by a session that changes nothing else, keeps other processes waiting.
/// </summary>
internal static class SchemaMigration
{
    private const int NameTaken = 955;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(25);

    /// <param name="guard">Holds the lock and writes the versions.</param>
    /// <param name="changes">Changes the tables.</param>
    /// <param name="target">For messages.</param>
    /// <param name="cancellationToken">Ends it between two statements.</param>
    public static async Task ApplyAsync(OracleSession guard, OracleSession changes, OracleTarget target, CancellationToken cancellationToken)
    {
        await ChangeAsync(changes, SqlText.Of("CreateVersions"), cancellationToken).ConfigureAwait(false);
        var transaction = await guard.BeginAsync(cancellationToken).ConfigureAwait(false);
        await using (transaction.ConfigureAwait(false))
        {
            await guard.RunAsync(SqlText.Of("LockVersions"), Limit, cancellationToken).ConfigureAwait(false);
            var applied = (await guard.ListAsync(SqlText.Of("ReadVersion"), r => r.GetInt32(0), Limit, cancellationToken).ConfigureAwait(false))[0];
            var files = SqlText.SchemaFiles();
            if (applied > files[^1].Version)
            {
                throw new StoreUnavailableException(
                    $"{target}: the schema has version {applied}; this build knows up to {files[^1].Version}. Use a newer build, or another user.", outcomeUnknown: false);
            }

            foreach (var (version, statements) in files.Where(f => f.Version > applied))
            {
                foreach (var statement in statements)
                {
                    await ChangeAsync(changes, statement, cancellationToken).ConfigureAwait(false);
                }

                await guard.RunAsync(SqlText.Of("AddVersion"), Limit, cancellationToken, Bind.Number("p_version", version)).ConfigureAwait(false);
            }

            await transaction.CommitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private static async Task ChangeAsync(OracleSession session, string statement, CancellationToken cancellationToken)
    {
        try
        {
            await session.RunAsync(statement, Limit, cancellationToken).ConfigureAwait(false);
        }
        catch (System.Data.Common.DbException e) when (OracleErrors.Code(e) == NameTaken)
        {
            // It is there: a migration before this one broke off after it.
        }
    }
}
