namespace Benchmarks;

internal static class EventTransport
{
    public static Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken) => throw new NotImplementedException();
}
