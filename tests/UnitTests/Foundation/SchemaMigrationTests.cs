namespace UnitTests.Foundation;

public sealed class SchemaMigrationTests
{
    private static readonly SchemaFile[] Files = [new(1, "one"), new(2, "two"), new(3, "three")];

    [Theory]
    [InlineData(0, "one,two,three")]
    [InlineData(2, "three")]
    [InlineData(3, "")]
    public async Task Files_that_the_schema_lacks_are_applied_in_order(int version, string applied)
    {
        var target = new Target(version);

        Assert.Equal(3, await SchemaMigration.ApplyAsync(target, Files, Cancel));
        Assert.Equal(applied, string.Join(',', target.Applied));
    }

    [Fact]
    public async Task Schema_of_a_prerelease_build_is_refused()
    {
        var target = new Target(version: 0) { IsBeforeRelease = true };

        var error = await Assert.ThrowsAsync<InvalidOperationException>(
            () => SchemaMigration.ApplyAsync(target, Files, Cancel));

        Assert.StartsWith(
            "Schema 'test' was made by a build before the first release", error.Message, StringComparison.Ordinal);
        Assert.Equal((false, 0), (target.IsPrepared, target.Applied.Count));
    }

    [Fact]
    public async Task Schema_of_a_newer_build_is_refused_and_left_alone()
    {
        var target = new Target(4);

        var error = await Assert.ThrowsAsync<InvalidOperationException>(
            () => SchemaMigration.ApplyAsync(target, Files, Cancel));

        Assert.StartsWith(
            "Schema 'test' has version 4; this build knows up to 3. ", error.Message, StringComparison.Ordinal);
        Assert.Empty(target.Applied);
    }

    [Fact]
    public void Files_of_an_assembly_are_numbered_from_one_without_gaps()
    {
        var files = SchemaFile.Of(typeof(global::Workflow.Stores.PostgreSql.PostgresStore).Assembly);

        Assert.Equal(Enumerable.Range(1, files.Count), files.Select(file => file.Version));
        Assert.All(files, file => Assert.NotEmpty(file.Text));
        Assert.Contains("UnitTests embeds schema files",
            Assert.Throws<InvalidDataException>(() => SchemaFile.Of(GetType().Assembly)).Message,
            StringComparison.Ordinal);
    }

    private sealed class Target(int version) : ISchemaTarget
    {
        public List<string> Applied { get; } = [];

        public bool IsBeforeRelease { get; init; }

        public bool IsPrepared { get; private set; }

        public string Description => "Schema 'test'";

        public Task<bool> IsBeforeReleaseAsync(CancellationToken cancellationToken) => Task.FromResult(IsBeforeRelease);

        public Task PrepareAsync(CancellationToken cancellationToken)
        {
            IsPrepared = true;
            return Task.CompletedTask;
        }

        public Task<int> ReadVersionAsync(CancellationToken cancellationToken) => Task.FromResult(version);

        public Task ApplyAsync(SchemaFile file, CancellationToken cancellationToken)
        {
            Applied.Add(file.Text);
            return Task.CompletedTask;
        }
    }
}
