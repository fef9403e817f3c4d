using Foundation;

namespace Workflow.Stores.Oracle;

/// <summary>
/// The statements, by subject: the files in <c>Sql/</c>. The PostgreSQL store has the same subjects and names, except
/// for <c>queue.sql</c>.
/// </summary>
internal static class Sql
{
    public static readonly SqlFile Cluster = Of("cluster");
    public static readonly SqlFile Definitions = Of("definitions");
    public static readonly SqlFile Dormant = Of("dormant");
    public static readonly SqlFile Flush = Of("flush");
    public static readonly SqlFile Inbox = Of("inbox");
    public static readonly SqlFile Lanes = Of("lanes");
    public static readonly SqlFile Queries = Of("queries");
    public static readonly SqlFile Queue = Of("queue");
    public static readonly SqlFile Retention = Of("retention");
    public static readonly SqlFile Schema = Of("schema");

    /// <summary>A list in order of id, or with the newest row first: the same indexes, read backwards.</summary>
    public static string Ordered(string list, bool newestFirst) => newestFirst
        ? list.Replace("order by id", "order by id desc", StringComparison.Ordinal)
        : list;

    private static SqlFile Of(string subject) => SqlFile.Of(typeof(Sql).Assembly, subject);
}
