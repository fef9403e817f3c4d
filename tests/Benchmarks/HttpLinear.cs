namespace Benchmarks;

internal static class HttpLinear
{
    public static Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken) => throw new NotImplementedException();
}
