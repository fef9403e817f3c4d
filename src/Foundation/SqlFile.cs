using System.Collections.Frozen;
using System.Reflection;

namespace Foundation;

/// <summary>
/// The named statements of one subject, from an embedded file <c>Sql/{subject}.sql</c>. A line
/// <c>-- name: take_lane</c> opens a statement, which runs to the next such line or to the end of the file; blank lines
/// around it are dropped, other comments are part of it. Before the first name only comments may stand.
/// </summary>
public sealed class SqlFile
{
    private const string Marker = "-- name:";
    private readonly FrozenDictionary<string, string> _statements;

    private SqlFile(string subject, Dictionary<string, string> statements)
    {
        Subject = subject;
        _statements = statements.ToFrozenDictionary(StringComparer.Ordinal);
    }

    public string Subject { get; }

    /// <summary>In the order of the alphabet.</summary>
    public IEnumerable<string> Names => _statements.Keys.Order(StringComparer.Ordinal);

    /// <exception cref="InvalidDataException">
    /// The file has no statement of this name; the message lists those it has.
    /// </exception>
    public string this[string name] => _statements.TryGetValue(name, out var text)
        ? text
        : throw new InvalidDataException(
            $"{Subject}.sql has no statement '{name}'. It has: {string.Join(", ", Names)}.");

    /// <summary>
    /// The file of a subject in an assembly's folder <c>Sql</c>, wherever in the assembly that folder is.
    /// </summary>
    /// <exception cref="InvalidDataException">
    /// There is no such file, or more than one, or it breaks the format.
    /// </exception>
    public static SqlFile Of(Assembly assembly, string subject)
    {
        var resources = assembly.GetManifestResourceNames();
        return resources.Where(name => name.EndsWith($".Sql.{subject}.sql", StringComparison.Ordinal)).ToList() switch
        {
            [var one] => Parse(subject, Read(assembly, one)),
            [] => throw new InvalidDataException(
                $"{assembly.GetName().Name} embeds no Sql/{subject}.sql. It embeds: {string.Join(", ", resources)}."),
            var several => throw new InvalidDataException(
                $"{assembly.GetName().Name} embeds several files for '{subject}': {string.Join(", ", several)}."),
        };
    }

    /// <summary>Reads the text of a file.</summary>
    /// <exception cref="InvalidDataException">
    /// A statement without a name, a name without a statement, or the same name twice.
    /// </exception>
    public static SqlFile Parse(string subject, string text)
    {
        var statements = new Dictionary<string, string>(StringComparer.Ordinal);
        string? name = null;
        var lines = new List<string>();
        foreach (var line in text.Split('\n').Select(line => line.TrimEnd('\r')).Append(Marker))
        {
            if (!line.StartsWith(Marker, StringComparison.Ordinal))
            {
                lines.Add(line);
                continue;
            }

            Close(subject, name, lines, statements);
            name = line[Marker.Length..].Trim();
            lines.Clear();
        }

        return new(subject, statements);
    }

    /// <summary>The same statements, each in another text.</summary>
    public SqlFile Select(Func<string, string> rewrite) =>
        new(Subject, _statements.ToDictionary(s => s.Key, s => rewrite(s.Value)));

    internal static string Read(Assembly assembly, string resource)
    {
        using var reader = new StreamReader(assembly.GetManifestResourceStream(resource)!);
        return reader.ReadToEnd();
    }

    private static void Close(string subject, string? name, List<string> lines, Dictionary<string, string> statements)
    {
        var hasStatement =
            lines.Any(line => line.Trim() is { Length: > 0 } text && !text.StartsWith("--", StringComparison.Ordinal));
        if (name is null or "")
        {
            if (hasStatement || name is "")
            {
                throw new InvalidDataException(
                    $"{subject}.sql has a statement without a name. Put a line '{Marker} its_name' before it.");
            }

            return;
        }

        if (!hasStatement)
        {
            throw new InvalidDataException($"{subject}.sql has the name '{name}' without a statement.");
        }

        if (!statements.TryAdd(name, string.Join('\n', lines).Trim('\n', ' ')))
        {
            throw new InvalidDataException($"{subject}.sql has the name '{name}' twice.");
        }
    }
}
