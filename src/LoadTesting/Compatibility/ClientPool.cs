using LoadTesting.Contracts;

namespace LoadTesting;

/// <summary>
/// Clients that copies of a scenario share: copy number i always gets client number i modulo the number of clients.
/// </summary>
public sealed class ClientPool<T> : IDisposable
{
    private readonly List<T> _clients = [];
    private bool _isDisposed;

    public IReadOnlyList<T> Clients => _clients;

    /// <summary>Adds a client; while no scenario runs on the pool.</summary>
    public void AddClient(T client) => _clients.Add(client);

    /// <exception cref="InvalidOperationException">The pool is empty.</exception>
    public T GetClient(ScenarioInfo scenarioInfo)
    {
        ArgumentNullException.ThrowIfNull(scenarioInfo);
        return _clients.Count > 0
            ? _clients[scenarioInfo.InstanceNumber % _clients.Count]
            : throw new InvalidOperationException(
                $"The client pool of scenario '{scenarioInfo.ScenarioName}' is empty; call AddClient in WithInit.");
    }

    /// <summary>Disposes the clients that can be disposed; once.</summary>
    public void DisposeClients() => DisposeClients(client => (client as IDisposable)?.Dispose());

    /// <summary>Calls <paramref name="disposeClient"/> for each client; once.</summary>
    public void DisposeClients(Action<T> disposeClient)
    {
        ArgumentNullException.ThrowIfNull(disposeClient);
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        _clients.ForEach(disposeClient);
    }

    public void Dispose() => DisposeClients();
}
