namespace PerformanceTesting.Backends.Containers;

/// <summary>Keeps what the engine reports at once and in order, unlike <see cref="Progress{T}"/>.</summary>
internal sealed class ReceivedMessages<T> : IProgress<T>
{
    private readonly List<T> _all = [];

    public IReadOnlyList<T> All => _all;

    public void Report(T value) => _all.Add(value);
}
