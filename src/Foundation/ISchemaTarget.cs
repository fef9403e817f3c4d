namespace Foundation;

/// <summary>
/// A database whose schema is migrated. The implementation ensures that one process migrates at a time, or that several
/// processes may run the files at the same time.
/// </summary>
public interface ISchemaTarget
{
    /// <summary>The subject of messages, e.g. <c>Schema 'workflow'</c>.</summary>
    string Description { get; }

    /// <summary>
    /// Whether the database holds a schema of a build before the first release, which recorded its versions in
    /// <c>schema_versions</c>. Writes nothing.
    /// </summary>
    Task<bool> IsBeforeReleaseAsync(CancellationToken cancellationToken);

    /// <summary>Creates the table of versions if it is missing.</summary>
    Task PrepareAsync(CancellationToken cancellationToken);

    /// <summary>The number of the last file that was applied; 0 if none was.</summary>
    Task<int> ReadVersionAsync(CancellationToken cancellationToken);

    /// <summary>Runs a file and records its number.</summary>
    Task ApplyAsync(SchemaFile file, CancellationToken cancellationToken);

    /// <summary>The exception to throw if this build cannot use the schema.</summary>
    Exception Refuse(string message) => new InvalidOperationException(message);
}
