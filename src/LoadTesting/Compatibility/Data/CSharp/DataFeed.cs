using LoadTesting.Contracts;

namespace LoadTesting.Data.CSharp;

/// <summary>Makes data feeds.</summary>
public static class DataFeed
{
    /// <summary>Copy number i always gets item i modulo the number of items.</summary>
    /// <param name="data">At least one item.</param>
    public static IDataFeed<T> Constant<T>(IEnumerable<T> data) =>
        new Feed<T>(data, (info, count) => info.InstanceNumber % count);

    /// <summary>One after the other, over all copies; after the last one the first one again.</summary>
    /// <inheritdoc cref="Constant"/>
    public static IDataFeed<T> Circular<T>(IEnumerable<T> data)
    {
        var taken = -1L;
        return new Feed<T>(data, (_, count) => (int)(Interlocked.Increment(ref taken) % count));
    }

    /// <summary>Any item, each as likely as any other.</summary>
    /// <param name="data">At least one item.</param>
    /// <param name="seed">Items come in the same order for the same seed; null for another order each time.</param>
    public static IDataFeed<T> Random<T>(IEnumerable<T> data, int? seed = null)
    {
        var (random, gate) = (Data.Seeded(seed), new Lock());
        return new Feed<T>(data, (_, count) =>
        {
            lock (gate)
            {
                return random.Next(count);
            }
        });
    }

    private sealed class Feed<T> : IDataFeed<T>
    {
        private readonly Func<ScenarioInfo, int, int> _next;

        public Feed(IEnumerable<T> data, Func<ScenarioInfo, int, int> next)
        {
            ArgumentNullException.ThrowIfNull(data);
            (Items, _next) = ([.. data], next);
            if (Items.Length == 0)
            {
                throw new ArgumentException("The data of a feed is empty; give it at least one item.", nameof(data));
            }
        }

        public T[] Items { get; }

        public T GetNextItem(ScenarioInfo scenarioInfo) => Items[_next(scenarioInfo, Items.Length)];
    }
}
