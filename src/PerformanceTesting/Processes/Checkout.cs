namespace PerformanceTesting.Processes;

/// <summary>The checkout that the running tests were built in.</summary>
public static class Checkout
{
    /// <summary>Its root: the folder of the solution, upwards from the test assembly.</summary>
    public static string Root { get; } = FindRoot();

    /// <summary>The path of a file under <c>fixtures/</c>.</summary>
    public static string Fixture(params IEnumerable<string> parts) => Path.Combine([Root, "fixtures", .. parts]);

    private static string FindRoot()
    {
        for (var directory = AppContext.BaseDirectory; directory is not null;
            directory = Path.GetDirectoryName(directory))
        {
            if (File.Exists(Path.Combine(directory, "Solution.sln")))
            {
                return directory;
            }
        }

        throw new InvalidOperationException($"No Solution.sln lies above {AppContext.BaseDirectory}: "
            + "run the tests from a checkout.");
    }
}
