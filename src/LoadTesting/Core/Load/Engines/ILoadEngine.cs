namespace LoadTesting.Core.Load.Engines;

/// <summary>
/// An external load engine that <see cref="LoadRunner"/> uses in place of its own. The engine decides when iterations
/// start; measurements are recorded here, so that results do not depend on the engine.
/// </summary>
public interface ILoadEngine
{
    /// <summary>The name in results, such as "nbomber".</summary>
    string Name { get; }

    /// <summary>
    /// Runs the simulations of all scenarios at the same time and returns when it starts no more iterations. Must end a
    /// scenario soon after <see cref="DrivenScenario.Over"/> has completed, and must not swallow its own errors.
    /// </summary>
    /// <param name="scenarios">At least one; their names are unique.</param>
    /// <param name="cancellationToken">Cancelled by the caller; <see cref="DrivenScenario.Over"/> completes as
    /// well.</param>
    /// <returns>Notes about this engine for readers of the results.</returns>
    /// <exception cref="NotSupportedException">The engine does not support a simulation; the message names
    /// it.</exception>
    Task<IReadOnlyList<string>> DriveAsync(
        IReadOnlyList<DrivenScenario> scenarios, CancellationToken cancellationToken);

    /// <summary>
    /// Describes a load in words. Override it if this engine times starts differently from the built-in one.
    /// </summary>
    string Describe(LoadSimulation simulation) => $"{simulation}";

    /// <summary>Sends a request through the engine's own client, if it has one.</summary>
    Task<HttpResponseMessage> SendAsync(
        HttpClient client, HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.SendAsync(request, cancellationToken);
    }
}
