namespace Foundation;

/// <summary>Brings a schema up to date: numbered files, each applied once and never edited.</summary>
public static class SchemaMigration
{
    /// <returns>The version it has then.</returns>
    public static async Task<int> ApplyAsync(
        ISchemaTarget target, IReadOnlyList<SchemaFile> files, CancellationToken cancellationToken)
    {
        if (await target.IsBeforeReleaseAsync(cancellationToken).ConfigureAwait(false))
        {
            throw target.Refuse(
                $"{target.Description} was made by a build before the first release (it has the table "
                    + "schema_versions), which this build does "
                + "not upgrade. Nothing was changed. Use another database, schema or user, or drop it.");
        }

        await target.PrepareAsync(cancellationToken).ConfigureAwait(false);
        var applied = await target.ReadVersionAsync(cancellationToken).ConfigureAwait(false);
        var known = files[^1].Version;
        if (applied > known)
        {
            throw target.Refuse(
                $"{target.Description} has version {applied}; this build knows up to {known}. Use a newer build, or "
                    + "another database, schema or user.");
        }

        foreach (var file in files.Where(file => file.Version > applied))
        {
            await target.ApplyAsync(file, cancellationToken).ConfigureAwait(false);
        }

        return known;
    }
}
