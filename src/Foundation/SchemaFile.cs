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
                $"{assembly.GetName().Name} embeds schema files with the numbers "
                    + $"{string.Join(", ", files.Select(file => file.Version))}; they must be 1, 2, 3 and so on.");
    }

    private static int Number(string name)
    {
        var file = name[(name.IndexOf(Folder, StringComparison.Ordinal) + Folder.Length)..];
        return int.TryParse(
            file.AsSpan(0, Math.Min(3, file.Length)), NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            ? number
            : throw new InvalidDataException($"The schema file {name} does not begin with a number of three digits.");
    }
}
