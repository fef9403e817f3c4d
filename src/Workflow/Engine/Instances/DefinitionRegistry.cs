using System.Collections.Frozen;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Contracts.Definitions;

namespace Workflow.Engine.Instances;

/// <summary>The definitions of an engine: stored once, compiled once, never changed.</summary>
/// <param name="maxSize">Characters of canonical JSON of all versions.</param>
internal sealed class DefinitionRegistry(
    IWorkflowStore store, DefinitionRules rules, TimeProvider time, ILogger logger, int maxCount, long maxSize)
{
    private readonly ConcurrentDictionary<(string Name, int Version), (WorkflowDefinition Definition,
        DateTimeOffset RegisteredUtc)> _versions = new();
    private readonly ConcurrentDictionary<string, WorkflowDefinition> _newest = new(StringComparer.Ordinal);

    /// <summary>What another build has registered and this one cannot read, with the reasons.</summary>
    private readonly ConcurrentDictionary<(string Name, int Version), IReadOnlyList<DefinitionError>> _unreadable = new();

    /// <summary>One at a time: what is checked must still hold when the definition is added.</summary>
    private readonly SemaphoreSlim _registering = new(1, 1);
    private readonly Lock _starting = new();
    private readonly Lock _refreshing = new();
    private readonly Lock _reading = new();
    private volatile FrozenDictionary<string, WorkflowDefinition> _startedBy = FrozenDictionary<string, WorkflowDefinition>.Empty;
    private long _size;
    private long _lastRead;
    private Task _refresh = Task.CompletedTask;
    private Task? _nextRefresh;

    /// <summary>The number up to which every definition has been read.</summary>
    public long LastRead => Interlocked.Read(ref _lastRead);

    /// <summary>Reads all definitions, before anything else is asked for.</summary>
    /// <exception cref="DefinitionInvalidException">This build cannot read one of them.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await LoadAsync(cancellationToken);
        foreach (var unreadable in _unreadable.Keys)
        {
            CheckReadable(unreadable);
        }
    }

    /// <summary>Reads the definitions that are new. One that this build cannot read keeps none back that follow it.</summary>
    public async Task LoadAsync(CancellationToken cancellationToken)
    {
        foreach (var row in await store.LoadDefinitionsAsync(LastRead, cancellationToken))
        {
            if (!_versions.ContainsKey((row.Name, row.Version)))
            {
                Read(row);
            }

            ReadUpTo(row.Number);
        }
    }

    /// <summary>
    /// Reads the definitions that are new, for one that another node may have registered. Whoever asks while a reading runs shares the next
    /// one: however many ask for a name that nobody knows, one reads.
    /// </summary>
    public Task RefreshAsync(CancellationToken cancellationToken)
    {
        lock (_refreshing)
        {
            return (_nextRefresh ??= RefreshAfterAsync(_refresh)).WaitAsync(cancellationToken);
        }
    }

    private async Task RefreshAfterAsync(Task running)
    {
        await running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding
            | ConfigureAwaitOptions.ContinueOnCapturedContext);
        lock (_refreshing)
        {
            _refresh = _nextRefresh!;
            _nextRefresh = null;
        }

        await LoadAsync(CancellationToken.None);
    }

    public int Count => _versions.Count;

    /// <summary>Reads the definitions that are new when one of these is not known.</summary>
    /// <exception cref="DefinitionInvalidException">This build cannot read one of these.</exception>
    public async ValueTask EnsureAsync(IEnumerable<(string Name, int Version)> wanted, CancellationToken cancellationToken)
    {
        (string Name, int Version)[] missing = [.. wanted.Where(d => Find(d.Name, d.Version) is null)];
        if (missing.Length > 0)
        {
            await LoadAsync(cancellationToken);
            Array.ForEach(missing, CheckReadable);
        }
    }

    public DefinitionValidation Validate(ReadOnlyMemory<byte> json)
    {
        var compilation = DefinitionCompiler.Compile(json, rules);
        var errors = compilation.Definition is { } definition && !IsRegistered(definition)
            ? ErrorsOfNew(definition) : compilation.Errors;
        return new(errors.Count == 0, [.. errors.Select(e => new DefinitionProblem(e.Path, e.Message, e.Column))]);
    }

    public async Task<(DefinitionInfo Info, bool Created)> RegisterAsync(ReadOnlyMemory<byte> json, CancellationToken cancellationToken)
    {
        var compilation = DefinitionCompiler.Compile(json, rules);
        if (compilation.Definition is not { } definition)
        {
            throw new DefinitionInvalidException(compilation.Errors);
        }

        if (FindSame(definition) is { } known)
        {
            return (known, false); // It waits for no other's way to the store.
        }

        await _registering.WaitAsync(cancellationToken);
        try
        {
            return FindSame(definition) is { } meanwhile ? (meanwhile, false) : await AddNewAsync(definition, cancellationToken);
        }
        finally
        {
            _registering.Release();
        }
    }

    public IReadOnlyList<DefinitionInfo> List() =>
        [.. _versions.Values.Select(v => Info(v.Definition, v.RegisteredUtc)).OrderBy(i => i.Name, StringComparer.Ordinal)
            .ThenBy(i => i.Version)];

    public WorkflowDefinition Get(string name, int? version)
    {
        if (Find(name, version) is { } definition)
        {
            return definition;
        }

        CheckReadable((name, version.GetValueOrDefault()));
        throw new DefinitionNotFoundException(name, version);
    }

    public WorkflowDefinition? Find(string name, int? version) =>
        version is null ? _newest.GetValueOrDefault(name) : _versions.GetValueOrDefault((name, version.Value)).Definition;

    /// <summary>The definition of which a signal that nobody waits for starts an instance; null for none.</summary>
    public WorkflowDefinition? FindStartedBy(string signal) => _startedBy.GetValueOrDefault(signal);

    /// <summary>A definition that is registered already; null where it is new and may be.</summary>
    private DefinitionInfo? FindSame(WorkflowDefinition definition)
    {
        if (!_versions.TryGetValue((definition.Name, definition.Version), out var known))
        {
            var errors = ErrorsOfNew(definition);
            return errors.Count == 0 ? null : throw new DefinitionInvalidException(errors);
        }

        CheckSame(definition, known.Definition.ContentHash);
        return Info(known.Definition, known.RegisteredUtc);
    }

    private async Task<(DefinitionInfo Info, bool Created)> AddNewAsync(WorkflowDefinition definition, CancellationToken cancellationToken)
    {
        var size = Interlocked.Read(ref _size);
        if (Count >= maxCount || (size + definition.CanonicalJson.Length > maxSize && Count > 0))
        {
            throw new DefinitionsFullException(Count, maxCount, size, maxSize);
        }

        var offered = new DefinitionRow(
            definition.Name, definition.Version, definition.ContentHash, definition.CanonicalJson, time.GetUtcNow());
        var stored = await store.AddDefinitionAsync(offered, cancellationToken);
        CheckSame(definition, stored.ContentHash);
        Add(definition, stored.RegisteredUtc);
        if (stored.Number == LastRead + 1)
        {
            ReadUpTo(stored.Number); // Nobody reads back what this node itself has registered.
        }

        return (Info(definition, stored.RegisteredUtc), stored == offered with { Number = stored.Number });
    }

    private bool IsRegistered(WorkflowDefinition definition) =>
        _versions.TryGetValue((definition.Name, definition.Version), out var known)
        && known.Definition.ContentHash == definition.ContentHash;

    /// <summary>What is wrong with a definition that is not registered yet, and is no reason to stop reading one that is.</summary>
    private List<DefinitionError> ErrorsOfNew(WorkflowDefinition definition)
    {
        List<DefinitionError> errors = definition.Name is not ("." or "..") ? [] : [new("name",
            $"The name '{definition.Name}' is resolved as a part of an address, so that its routes cannot be reached; use another.")];
        for (var i = 0; i < definition.StartOn.Count; i++)
        {
            var signal = definition.StartOn[i].Signal;
            if (FindStartedBy(signal) is { } other && other.Name != definition.Name)
            {
                errors.Add(new($"startOn[{i}].signal", $"The signal '{signal}' starts '{other.Name}' version {other.Version}; use another, "
                    + "or register a version of that without it first."));
            }
        }

        return errors;
    }

    // Two nodes may register at the same time what one would refuse: then the first name has the signal on every node.
    private void IndexStartSignals()
    {
        lock (_starting)
        {
            var starts = new Dictionary<string, WorkflowDefinition>(StringComparer.Ordinal);
            foreach (var definition in _newest.Values.OrderBy(d => d.Name, StringComparer.Ordinal))
            {
                foreach (var start in definition.StartOn)
                {
                    starts.TryAdd(start.Signal, definition);
                }
            }

            _startedBy = starts.ToFrozenDictionary(StringComparer.Ordinal);
        }
    }

    private static void CheckSame(WorkflowDefinition offered, string registeredHash)
    {
        if (offered.ContentHash != registeredHash)
        {
            throw new DefinitionConflictException(offered.Name, offered.Version, registeredHash, offered.ContentHash);
        }
    }

    private void CheckReadable((string Name, int Version) wanted)
    {
        if (_unreadable.TryGetValue(wanted, out var errors))
        {
            throw new DefinitionInvalidException(errors);
        }
    }

    private static DefinitionInfo Info(WorkflowDefinition definition, DateTimeOffset registeredUtc) =>
        new(definition.Name, definition.Version, definition.ContentHash, registeredUtc);

    private void Read(DefinitionRow row)
    {
        // A registered definition keeps running even if an activity is missing now: its steps fail then, with the reason.
        var compiled = DefinitionCompiler.Compile(Encoding.UTF8.GetBytes(row.Body), new DefinitionRules());
        if (compiled.Definition is { } definition)
        {
            Add(definition, row.RegisteredUtc);
            return;
        }

        if (_unreadable.TryAdd((row.Name, row.Version), compiled.Errors))
        {
            Log.DefinitionUnreadable(logger, new DefinitionInvalidException(compiled.Errors), row.Name, row.Version);
        }
    }

    /// <summary>Readings run beside one another: one that began earlier takes none back.</summary>
    private void ReadUpTo(long number)
    {
        lock (_reading)
        {
            _lastRead = Math.Max(_lastRead, number);
        }
    }

    private void Add(WorkflowDefinition definition, DateTimeOffset registeredUtc)
    {
        if (_versions.TryAdd((definition.Name, definition.Version), (definition, registeredUtc)))
        {
            Interlocked.Add(ref _size, definition.CanonicalJson.Length);
        }

        _newest.AddOrUpdate(definition.Name, definition, (_, newest) => newest.Version > definition.Version ? newest : definition);
        if (definition.StartOn.Count > 0 || _startedBy.Values.Any(d => d.Name == definition.Name))
        {
            IndexStartSignals();
        }
    }
}
