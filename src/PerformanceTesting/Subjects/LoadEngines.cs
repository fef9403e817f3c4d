namespace PerformanceTesting.Subjects;

/// <summary>
/// The load engines that can be chosen. NBomber is found by name: only a build with -p:NBomber=true has it.
/// </summary>
internal static class LoadEngines
{
    public const string NBomber = "nbomber";
    private const string NBomberType = "LoadTesting.NBomber.NBomberLoadEngine, LoadTesting.NBomber";

    /// <summary>Whether this build has NBomber.</summary>
    public static bool HasNBomber => Type.GetType(NBomberType) is not null;

    /// <summary>Reads the variable's value; null is the built-in engine.</summary>
    public static Func<string, ILoadEngine>? Read(string? value, List<string> violations)
    {
        switch (value?.Trim().ToLowerInvariant())
        {
            case null or "" or LoadRunner.BuiltInEngine:
                return null;
            case NBomber when Type.GetType(NBomberType) is { } type:
                return folder => (ILoadEngine)Activator.CreateInstance(type, folder)!;
            case NBomber:
                violations.Add($"{MeasurementVariables.LoadEngineName} is '{value}', and this build has no NBomber: "
                    + "build and run with -p:NBomber=true, on a feed that has the package.");
                return null;
            default:
                violations.Add($"{MeasurementVariables.LoadEngineName} is '{value}'. It is '{LoadRunner.BuiltInEngine}' (the default) or "
                    + $"'{NBomber}', which needs -p:NBomber=true.");
                return null;
        }
    }
}
