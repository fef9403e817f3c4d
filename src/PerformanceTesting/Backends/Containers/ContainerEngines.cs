namespace PerformanceTesting.Backends.Containers;

/// <summary>Finds the engine that containers are started with.</summary>
public static class ContainerEngines
{
    /// <summary>Testcontainers starts the containers where the full feed has it.</summary>
    private static readonly Type? Testcontainers = Type.GetType($"{typeof(ContainerEngines).Namespace}.Testcontainers.TestcontainersEngine");

    /// <summary>Asks the engine that the environment names, or the usual socket; removes what killed runs left there.</summary>
    /// <param name="read">Gives a variable's value or null; the process environment when omitted.</param>
    /// <param name="cancellationToken">Ends the wait; without it, a few seconds do.</param>
    /// <returns>The engine, or why none answers.</returns>
    public static async Task<(IContainerEngine? Engine, string? Refusal)> FindAsync(Func<string, string?>? read, CancellationToken cancellationToken)
    {
        try
        {
            var docker = await DockerEngine.ConnectAsync(DockerEndpoint.FromVariables(read), cancellationToken);
            return (Testcontainers is null ? docker : (IContainerEngine)Activator.CreateInstance(Testcontainers, docker)!, null);
        }
        catch (BackendException exception)
        {
            return (null, exception.Message);
        }
    }
}
