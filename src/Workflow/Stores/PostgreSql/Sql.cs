using System.Text.RegularExpressions;
using Foundation;

namespace Workflow.Stores.PostgreSql;

/// <summary>
/// The statements, by subject: the files in <c>Sql/</c>. The Oracle store has the same subjects and names, except those
/// of dormant instances.
/// </summary>
internal static partial class Sql
{
    public static readonly SqlFile Cluster = Of("cluster");
    public static readonly SqlFile Definitions = Of("definitions");
    public static readonly SqlFile Dormant = Of("dormant");
    public static readonly SqlFile Flush = Of("flush");

    /// <summary>
    /// The statements of a flush for arrays of one row, as a single command writes: the row stands in place of the set
    /// of rows, so that the server has nothing to scan, to hash and to join.
    /// </summary>
    public static readonly SqlFile FlushOfOne = Flush.Select(OfOne);

    public static readonly SqlFile Inbox = Of("inbox");
    public static readonly SqlFile Lanes = Of("lanes");
    public static readonly SqlFile Queries = Of("queries");
    public static readonly SqlFile Retention = Of("retention");
    public static readonly SqlFile Schema = Of("schema");

    /// <summary>A list in order of id, or with the newest row first: the same indexes, read backwards.</summary>
    public static string Ordered(string list, bool newestFirst) => newestFirst
        ? list.Replace("order by id", "order by id desc", StringComparison.Ordinal)
        : list;

    /// <exception cref="InvalidDataException">A set of rows is written in another way, and would stay one.</exception>
    private static string OfOne(string statement)
    {
        var text = SetOfRows().Replace(statement, OnlyRow);
        text = SetOfOffsets().Replace(text, "(values (0)) as given (n)");
        return text.Contains("unnest", StringComparison.Ordinal)
            ? throw new InvalidDataException(
                $"A set of rows is to be written 'unnest($1::type[], ...)'. This one is not: {statement}")
            : text;
    }

    private static string OnlyRow(Match set)
    {
        var columns = set.Groups["column"].Captures.Select(column => $"({column.Value})[1]");
        return $"(values ({string.Join(", ", columns)})) as {(set.Groups["as"].Success ? "" : "given")}";
    }

    [GeneratedRegex(@"unnest\((?:(?<column>\$\d+::\w+\[\])(?:,\s*)?)+\)(?<as>\s+as\s+)?")]
    private static partial Regex SetOfRows();

    /// <summary>Where the numbers of each row begin in one array.</summary>
    [GeneratedRegex(@"generate_series\(0, cardinality\(\$1\) - \d+, \d+\) as n")]
    private static partial Regex SetOfOffsets();

    private static SqlFile Of(string subject) => SqlFile.Of(typeof(Sql).Assembly, subject);
}
