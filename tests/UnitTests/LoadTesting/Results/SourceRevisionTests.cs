namespace UnitTests.LoadTesting.Results;

public sealed class SourceRevisionTests : IDisposable
{
    private const string Commit = "89abcdef0123456789abcdef0123456789abcdef";

    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("revision-");

    public void Dispose() => _root.Delete(recursive: true);

    [Fact]
    public async Task A_branch_is_followed_to_its_commit_from_a_folder_below()
    {
        Write(".git/HEAD", "ref: refs/heads/feature/x\n");
        Write(".git/refs/heads/feature/x", Commit + "\n");
        Write("src/deep/file", "");

        var revision = await SourceRevision.FindAsync(Path.Combine(_root.FullName, "src", "deep"), Cancel);

        Assert.Equal(Commit, revision.Commit);
        Assert.Equal("89abcde", revision.ShortName);
    }

    [Fact]
    public async Task A_detached_head_is_its_own_commit()
    {
        Write(".git/HEAD", Commit + "\n");

        Assert.Equal(Commit, (await SourceRevision.FindAsync(_root.FullName, Cancel)).Commit);
    }

    [Fact]
    public async Task A_packed_branch_is_found_by_its_whole_name()
    {
        Write(".git/HEAD", "ref: refs/heads/main\n");
        Write(".git/packed-refs", $"# pack-refs with: peeled\n{new string('1', 40)} refs/heads/not-main\n{Commit} refs/heads/main\n");

        Assert.Equal(Commit, (await SourceRevision.FindAsync(_root.FullName, Cancel)).Commit);
    }

    [Fact]
    public async Task A_linked_work_tree_reads_the_branch_of_its_repository()
    {
        Write("main/.git/refs/heads/side", Commit + "\n");
        Write("main/.git/worktrees/side/HEAD", "ref: refs/heads/side\n");
        Write("main/.git/worktrees/side/commondir", "../..\n");
        Write("side/.git", $"gitdir: {Path.Combine(_root.FullName, "main/.git/worktrees/side")}\n");

        Assert.Equal(Commit, (await SourceRevision.FindAsync(Path.Combine(_root.FullName, "side"), Cancel)).Commit);
    }

    [Fact]
    public async Task A_branch_without_a_commit_has_none()
    {
        Write(".git/HEAD", "ref: refs/heads/main\n");

        var revision = await SourceRevision.FindAsync(_root.FullName, Cancel);

        Assert.Null(revision.Commit);
        Assert.Equal("nogit", revision.ShortName);
    }

    [Fact]
    public async Task Outside_a_repository_there_is_neither_commit_nor_state() =>
        Assert.Equal(new SourceRevision(null, null), await SourceRevision.FindAsync(_root.FullName, Cancel));

    private void Write(string path, string text)
    {
        var full = Path.Combine(_root.FullName, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, text);
    }
}
