using System.Reflection;

namespace PerformanceTesting.Processes;

/// <summary>Refuses to measure code that the just-in-time compiler was asked not to optimise.</summary>
public static class OptimisationCheck
{
    /// <summary>
    /// Checks an assembly and all that it refers to and that lies beside it; the framework's own are not looked at.
    /// </summary>
    /// <param name="root">Usually the test assembly.</param>
    /// <exception cref="InvalidOperationException">
    /// At least one is not optimised; names each and the remedy.
    /// </exception>
    public static void RefuseUnoptimised(Assembly root)
    {
        var assemblies = new Dictionary<string, Assembly>();
        Collect(root, assemblies);
        var refused = assemblies.Values
            .Where(assembly => IsUnoptimised(assembly.GetCustomAttribute<DebuggableAttribute>()))
            .Select(assembly => assembly.GetName().Name!)
            .Order(StringComparer.Ordinal)
            .ToList();
        if (refused.Count > 0)
        {
            throw new InvalidOperationException(Message(refused));
        }
    }

    /// <summary>
    /// Whether the compiler's mark on an assembly switches optimisation off; without a mark it is on.
    /// </summary>
    internal static bool IsUnoptimised(DebuggableAttribute? mark) => mark?.IsJITOptimizerDisabled == true;

    internal static string Message(IReadOnlyList<string> refused) =>
        $"Nothing is measured: the JIT optimiser is disabled in {string.Join(", ", refused)}. Build with "
            + "<Optimize>true</Optimize>, which Directory.Build.props sets for every configuration (is "
            + "-p:Optimize=false given?), or with -c Release.";

    private static void Collect(Assembly assembly, Dictionary<string, Assembly> found)
    {
        if (!found.TryAdd(assembly.FullName!, assembly))
        {
            return;
        }

        foreach (var name in assembly.GetReferencedAssemblies())
        {
            if (File.Exists(Path.Combine(AppContext.BaseDirectory, $"{name.Name}.dll")))
            {
                Collect(Assembly.Load(name), found);
            }
        }
    }
}
