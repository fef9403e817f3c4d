namespace UnitTests.Workflow.Definitions;

/// <summary>The files under <c>fixtures/</c>, found from the solution upwards of the test assembly.</summary>
internal static class Fixtures
{
    public static string Folder { get; } = Path.Combine(Root(), "fixtures");

    public static byte[] Read(params string[] parts) => File.ReadAllBytes(Path.Combine([Folder, .. parts]));

    private static string Root()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "Solution.sln")))
        {
            folder = folder.Parent;
        }

        return folder?.FullName ?? throw new InvalidOperationException($"No Solution.sln above {AppContext.BaseDirectory}.");
    }
}
