using System.Reflection;

namespace Foundation;

/// <summary>A numbered file of a schema, embedded from a folder <c>Schema</c>: <c>001_initial.sql</c>.</summary>
/// <param name="Version">From its name; the first is 1, and there are no gaps.</param>
/// <param name="Text">What it holds; the database decides what that is.</param>
public sealed record SchemaFile(int Version, string Text)
{
    private const string Folder = ".Schema.";

    /// <summary>The files of an assembly, in order of their number.</summary>
    /// <exception cref="InvalidDataException">There is none, or the numbers are not 1, 2, 3 and so on.</exception>
    public static IReadOnlyList<SchemaFile> Of(Assembly assembly)
    {
        List<SchemaFile> files =
        [
            .. assembly.GetManifestResourceNames().Where(name => name.Contains(Folder, StringComparison.Ordinal))
                .Select(name => new SchemaFile(Number(name), SqlFile.Read(assembly, name)))
                .OrderBy(file => file.Version),
        ];
        return files.Count > 0 && files.Select(file => file.Version).SequenceEqual(Enumerable.Range(1, files.Count))
            ? files
            : throw new InvalidDataException(
                $"{assembly.GetName().Name} embeds schema files with the numbers {string.Join(", ", files.Select(file => file.Version))}; "
                + "they must be 1, 2, 3 and so on.");
    }

    private static int Number(string name)
    {
        var file = name[(name.IndexOf(Folder, StringComparison.Ordinal) + Folder.Length)..];
        return int.TryParse(file.AsSpan(0, Math.Min(3, file.Length)), NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            ? number
            : throw new InvalidDataException($"The schema file {name} does not begin with a number of three digits.");
    }
}

/// <summary>
/// A database whose schema is brought up to date. Whoever implements it sees to it that one process at a time migrates, or that files may
/// be run at once by several.
/// </summary>
public interface ISchemaTarget
{
    /// <summary>Begins a message: <c>Schema 'workflow'</c>.</summary>
    string Description { get; }

    /// <summary>
    /// Whether the database holds a schema of a build before the first release, which recorded its versions in <c>schema_versions</c>. Writes
    /// nothing.
    /// </summary>
    Task<bool> IsBeforeReleaseAsync(CancellationToken cancellationToken);

    /// <summary>Makes the table of versions if it is missing.</summary>
    Task PrepareAsync(CancellationToken cancellationToken);

    /// <summary>The number of the last file that was applied; 0 where there is none.</summary>
    Task<int> ReadVersionAsync(CancellationToken cancellationToken);

    /// <summary>Runs a file and records its number.</summary>
    Task ApplyAsync(SchemaFile file, CancellationToken cancellationToken);

    /// <summary>What to throw where this build cannot use the schema.</summary>
    Exception Refuse(string message) => new InvalidOperationException(message);
}

/// <summary>Brings a schema up to date: numbered files, each applied once and never edited.</summary>
public static class SchemaMigration
{
    /// <returns>The version it has then.</returns>
    public static async Task<int> ApplyAsync(ISchemaTarget target, IReadOnlyList<SchemaFile> files, CancellationToken cancellationToken)
    {
        if (await target.IsBeforeReleaseAsync(cancellationToken).ConfigureAwait(false))
        {
            throw target.Refuse(
                $"{target.Description} was made by a build before the first release (it has the table schema_versions), which this build does "
                + "not upgrade. Nothing was changed. Use another database, schema or user, or drop it.");
        }

        await target.PrepareAsync(cancellationToken).ConfigureAwait(false);
        var applied = await target.ReadVersionAsync(cancellationToken).ConfigureAwait(false);
        var known = files[^1].Version;
        if (applied > known)
        {
            throw target.Refuse(
                $"{target.Description} has version {applied}; this build knows up to {known}. Use a newer build, or another database, "
                + "schema or user.");
        }

        foreach (var file in files.Where(file => file.Version > applied))
        {
            await target.ApplyAsync(file, cancellationToken).ConfigureAwait(false);
        }

        return known;
    }
}
