namespace Workflow.Engine.Residency;

/// <summary>
/// A set of slots without false negatives, with few false positives: a chain of Bloom filters, each four times as large
/// as the one before (Almeida et al., "Scalable Bloom Filters", 2007). A slot costs 12 bits, and one look-up in about
/// 300 for an absent slot says that it may be there. A slot cannot be removed.
/// </summary>
internal sealed class SlotFilter
{
    private const int BitsPerSlot = 12;
    private const int Hashes = 8;
    private const int FirstCapacity = 4_096;
    private const int Growth = 4;
    private readonly List<ulong[]> _layers = [];
    private long _capacity;
    private long _room;

    /// <summary>The number of slots that were added; one that was added twice counts twice.</summary>
    public long Added { get; private set; }

    public void Add(long slot)
    {
        if (_room == 0)
        {
            _capacity = _capacity == 0 ? FirstCapacity : _capacity * Growth;
            _room = _capacity;
            _layers.Add(new ulong[_capacity * BitsPerSlot / 64]);
        }

        _room--;
        Added++;
        var layer = _layers[^1];
        var (hash, step) = Start(slot);
        for (var i = 0; i < Hashes; i++, hash += step)
        {
            var bit = Place(hash, layer);
            layer[bit >> 6] |= 1UL << (int)(bit & 63);
        }
    }

    public bool MayContain(long slot)
    {
        foreach (var layer in _layers)
        {
            if (MayContain(layer, slot))
            {
                return true;
            }
        }

        return false;
    }

    private static bool MayContain(ulong[] layer, long slot)
    {
        var (hash, step) = Start(slot);
        for (var i = 0; i < Hashes; i++, hash += step)
        {
            var bit = Place(hash, layer);
            if ((layer[bit >> 6] & (1UL << (int)(bit & 63))) == 0)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// Two hashes that give all others (Kirsch and Mitzenmacher, "Less Hashing, Same Performance", 2006). The slot is
    /// mixed as SplitMix64 does, because its first bits are the partition.
    /// </summary>
    private static (ulong Hash, ulong Step) Start(long slot)
    {
        var hash = (ulong)slot;
        hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9UL;
        hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebUL;
        hash ^= hash >> 31;
        return (hash, ((hash << 32) | (hash >> 32)) | 1);
    }

    private static ulong Place(ulong hash, ulong[] layer) => Math.BigMul(hash, (ulong)layer.Length * 64, out _);
}
