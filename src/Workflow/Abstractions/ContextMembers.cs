namespace Workflow.Abstractions;

/// <summary>
/// The members of a context: those of a dictionary without the enumerator that its interface would allocate.
/// </summary>
internal readonly struct ContextMembers(IReadOnlyDictionary<string, Value> members)
{
    public Enumerator GetEnumerator() => new(members);

    public struct Enumerator(IReadOnlyDictionary<string, Value> members)
    {
        private readonly IEnumerator<KeyValuePair<string, Value>>? _any =
            members is Dictionary<string, Value> ? null : members.GetEnumerator();

        private Dictionary<string, Value>.Enumerator _plain = members is Dictionary<string, Value> plain
            ? plain.GetEnumerator()
            : default;

        public readonly KeyValuePair<string, Value> Current => _any?.Current ?? _plain.Current;
        public bool MoveNext() => _any?.MoveNext() ?? _plain.MoveNext();
    }
}
