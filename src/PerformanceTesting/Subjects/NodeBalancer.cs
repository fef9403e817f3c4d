using LoadTesting.Core.Http;

namespace PerformanceTesting.Subjects;

/// <summary>
/// Sends each request of a key to the same of its nodes, as a balancer does that knows which of them take requests: a
/// node that leaves in order gets no more, and one at which a request fails gets none from then on where requests may
/// be repeated. Thread-safe.
/// </summary>
internal sealed class NodeBalancer : IDisposable
{
    private static readonly TimeSpan DrainInterval = TimeSpan.FromMilliseconds(1);

    private readonly Lock _gate = new();
    private readonly List<Route> _all = [];
    private volatile Route[] _routes = [];
    private long _failedOver;

    /// <summary>Whether a request without an answer is sent to another node. Default false: it fails.</summary>
    public bool FailsOver { get; set; }

    /// <summary>Requests that were sent to another node.</summary>
    public long FailedOver => Interlocked.Read(ref _failedOver);

    /// <returns>What its requests are sent with.</returns>
    public HttpSender Add(Uri node)
    {
        lock (_gate)
        {
            var route = new Route(node);
            _all.Add(route);
            _routes = [.. _routes, route];
            return route.Sender;
        }
    }

    /// <summary>Sends it nothing more; returns when all that was sent to it has been answered.</summary>
    public async Task DrainAsync(Uri node, CancellationToken cancellationToken)
    {
        var route = _routes.Single(one => one.Node == node);
        Remove(route);
        while (route.InFlight > 0)
        {
            await Task.Delay(DrainInterval, cancellationToken);
        }
    }

    public async Task<T> SendAsync<T>(NodeChoice choice, Func<HttpSender, Task<T>> send)
    {
        while (true)
        {
            var route = Take(choice);
            try
            {
                return await send(route.Sender);
            }
            catch (HttpRequestException) when (FailsOver && Remove(route))
            {
                Interlocked.Increment(ref _failedOver);
            }
            finally
            {
                route.End();
            }
        }
    }

    public void Dispose() => _all.ForEach(route => route.Sender.Dispose());

    /// <summary>
    /// Counts the request before checking that the node is still there, so that a later drain sees the request.
    /// </summary>
    private Route Take(NodeChoice choice)
    {
        while (true)
        {
            var routes = _routes;
            var route = routes[((uint)StringComparer.Ordinal.GetHashCode(choice.Key) + (uint)choice.Next)
                % (uint)routes.Length];
            route.Begin();
            if (routes == _routes || _routes.Contains(route))
            {
                return route;
            }

            route.End();
        }
    }

    /// <summary>False where it is the last one, which stays.</summary>
    private bool Remove(Route route)
    {
        lock (_gate)
        {
            if (_routes is [var last] && last == route)
            {
                return false;
            }

            _routes = [.. _routes.Where(one => one != route)];
            return true;
        }
    }

    private sealed class Route(Uri node)
    {
        private int _inFlight;

        public Uri Node => node;

        public HttpSender Sender { get; } = HttpSender.Lean(node);

        public int InFlight => Volatile.Read(ref _inFlight);

        public void Begin() => Interlocked.Increment(ref _inFlight);

        public void End() => Interlocked.Decrement(ref _inFlight);
    }
}
