using System.Numerics;

namespace LoadTesting.Core.Load.Recording;

/// <summary>One value per processor, each behind a lock that is almost never contended.</summary>
internal sealed class StripeSet<T>
    where T : class
{
    private const int MaximumStripes = 32;

    private readonly Stripe[] _stripes;

    internal StripeSet(Func<T> create)
    {
        var count = BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(Environment.ProcessorCount, 1, MaximumStripes));
        _stripes = [.. Enumerable.Range(0, (int)count).Select(_ => new Stripe(create()))];
    }

    /// <summary>Locks one stripe until the result is disposed. Do nothing else in between.</summary>
    internal Holding Enter()
    {
        var mask = _stripes.Length - 1;
        var start = Thread.GetCurrentProcessorId();
        for (var step = 0; step < _stripes.Length; step++)
        {
            var stripe = _stripes[(start + step) & mask];
            if (stripe.Gate.TryEnter())
            {
                return new Holding(stripe);
            }
        }

        var own = _stripes[start & mask];
        own.Gate.Enter();
        return new Holding(own);
    }

    internal void ForEach(Action<T> visit)
    {
        foreach (var stripe in _stripes)
        {
            lock (stripe.Gate)
            {
                visit(stripe.Value);
            }
        }
    }

    internal readonly ref struct Holding(Stripe stripe)
    {
        internal T Value => stripe.Value;

        public void Dispose() => stripe.Gate.Exit();
    }

    internal sealed class Stripe(T value)
    {
        internal Lock Gate { get; } = new();

        internal T Value { get; } = value;
    }
}
