namespace LoadTesting.Core.Load;

/// <summary>
/// A load engine of elsewhere that <see cref="LoadRunner"/> uses in place of its own. It alone decides when iterations start; what they measure is
/// recorded here, so that results do not depend on it.
/// </summary>
public interface ILoadEngine
{
    /// <summary>The name in results, such as "nbomber".</summary>
    string Name { get; }

    /// <summary>
    /// Loads all scenarios at the same time, by their simulations, and returns when it starts nothing more. Must end a scenario soon after
    /// <see cref="DrivenScenario.Over"/> has ended, and must not swallow its own errors.
    /// </summary>
    /// <param name="scenarios">At least one; their names are unique.</param>
    /// <param name="cancellationToken">Cancelled by the caller; <see cref="DrivenScenario.Over"/> ends as well.</param>
    /// <returns>What a reader of the results must know about this engine, in words.</returns>
    /// <exception cref="NotSupportedException">A simulation that this engine does not have; the message names it.</exception>
    Task<IReadOnlyList<string>> DriveAsync(IReadOnlyList<DrivenScenario> scenarios, CancellationToken cancellationToken);

    /// <summary>Sends a request in the engine's own way, if it has one.</summary>
    Task<HttpResponseMessage> SendAsync(HttpClient client, HttpRequestMessage request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.SendAsync(request, cancellationToken);
    }
}
