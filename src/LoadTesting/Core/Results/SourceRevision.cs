namespace LoadTesting.Core.Results;

/// <summary>Which commit is under test.</summary>
/// <param name="Commit">Full hash; null outside a repository or before the first commit.</param>
/// <param name="Dirty">Whether the work tree differs from it; null when git is not installed or gave no answer.</param>
public sealed record SourceRevision(string? Commit, bool? Dirty)
{
    /// <summary>First seven digits of the commit, or <c>nogit</c>.</summary>
    public string ShortName => Commit is { Length: >= 7 } commit ? commit[..7] : "nogit";

    /// <summary>
    /// Finds the repository that holds <paramref name="directory"/>. The commit is read from the repository's own
    /// files, also in a linked work tree and with packed references; only the question whether the tree is dirty needs
    /// git.
    /// </summary>
    public static async Task<SourceRevision> FindAsync(string directory, CancellationToken cancellationToken = default)
    {
        var root = FindRoot(directory);
        if (root is null)
        {
            return new SourceRevision(null, null);
        }

        var commit = ReadCommit(GitDirectory(root));
        var status = await ProcessOutput.ReadAsync(root, "git", ["status", "--porcelain"], cancellationToken)
            .ConfigureAwait(false);
        return new SourceRevision(commit, status is null ? null : status.Trim().Length > 0);
    }

    /// <summary>
    /// The innermost directory at or above <paramref name="directory"/> that has a <c>.git</c>; null when there is
    /// none.
    /// </summary>
    public static string? FindRoot(string directory)
    {
        for (var current = new DirectoryInfo(directory); current is not null; current = current.Parent)
        {
            var entry = Path.Combine(current.FullName, ".git");
            if (Directory.Exists(entry) || File.Exists(entry))
            {
                return current.FullName;
            }
        }

        return null;
    }

    private static string GitDirectory(string root)
    {
        var entry = Path.Combine(root, ".git");
        if (Directory.Exists(entry))
        {
            return entry;
        }

        // A linked work tree has a file that says where its directory is.
        const string prefix = "gitdir:";
        var line = File.ReadLines(entry).FirstOrDefault() ?? "";
        return line.StartsWith(prefix, StringComparison.Ordinal)
            ? Path.GetFullPath(line[prefix.Length..].Trim(), root)
            : entry;
    }

    private static string? ReadCommit(string gitDirectory)
    {
        var head = ReadLine(Path.Combine(gitDirectory, "HEAD"));
        const string prefix = "ref: ";
        if (head is null || !head.StartsWith(prefix, StringComparison.Ordinal))
        {
            return head;
        }

        var reference = head[prefix.Length..];
        var common = ReadLine(Path.Combine(gitDirectory, "commondir"));
        var shared = common is null ? gitDirectory : Path.GetFullPath(common, gitDirectory);
        return ReadLine(Path.Combine(gitDirectory, reference)) ?? ReadLine(Path.Combine(shared, reference))
            ?? ReadPacked(shared, reference);
    }

    private static string? ReadPacked(string shared, string reference)
    {
        var path = Path.Combine(shared, "packed-refs");
        return File.Exists(path)
            ? File.ReadLines(path).Where(line => line.EndsWith(" " + reference, StringComparison.Ordinal))
                .Select(line => line.Split(' ')[0]).FirstOrDefault()
            : null;
    }

    private static string? ReadLine(string path) =>
        File.Exists(path) ? File.ReadLines(path).FirstOrDefault()?.Trim() : null;
}
