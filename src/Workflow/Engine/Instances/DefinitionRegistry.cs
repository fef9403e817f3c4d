using System.Collections.Frozen;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Contracts.Definitions;

namespace Workflow.Engine.Instances;

/// <summary>The definitions of an engine. Each is stored once, compiled once and never changed.</summary>
/// <param name="maxSize">The maximum number of characters of the JSON of all versions.</param>
internal sealed class DefinitionRegistry(
    IWorkflowStore store, DefinitionRules rules, TimeProvider time, ILogger logger, int maxCount, long maxSize)
{
    private readonly ConcurrentDictionary<(string Name, int Version), (WorkflowDefinition Definition,
        DateTimeOffset RegisteredUtc)> _versions = new();
    private readonly ConcurrentDictionary<string, WorkflowDefinition> _newest = new(StringComparer.Ordinal);

    /// <summary>Definitions of other builds that this build cannot read, with the reasons.</summary>
    private readonly ConcurrentDictionary<(string Name, int Version), IReadOnlyList<DefinitionError>> _unreadable =
        new();

    /// <summary>Serialises registrations: the checks must still hold when the definition is added.</summary>
    private readonly SemaphoreSlim _registering = new(1, 1);
    private readonly Lock _starting = new();
    private readonly Lock _refreshing = new();
    private readonly Lock _reading = new();
    private readonly ConcurrentDictionary<string, byte> _received = new(StringComparer.Ordinal);
    private volatile FrozenDictionary<string, WorkflowDefinition> _startedBy =
        FrozenDictionary<string, WorkflowDefinition>.Empty;
    private long _size;
    private long _lastRead;
    private Task _refresh = Task.CompletedTask;
    private Task? _nextRefresh;

    /// <summary>The number up to which all definitions have been read.</summary>
    public long LastRead => Interlocked.Read(ref _lastRead);

    /// <summary>Reads all definitions. Must complete before other calls.</summary>
    /// <exception cref="DefinitionInvalidException">This build cannot read one of the definitions.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await LoadAsync(cancellationToken);
        foreach (var unreadable in _unreadable.Keys)
        {
            CheckReadable(unreadable);
        }
    }

    /// <summary>
    /// Reads new definitions. A definition that this build cannot read does not prevent reading the following ones.
    /// </summary>
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
    /// Reads new definitions because another node may have registered one. Callers that arrive during a read share the
    /// next read, so any number of requests for an unknown name causes one read.
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

    /// <summary>Reads new definitions if one of the wanted ones is unknown.</summary>
    /// <exception cref="DefinitionInvalidException">This build cannot read one of the wanted definitions.</exception>
    public async ValueTask EnsureAsync(
        IEnumerable<(string Name, int Version)> wanted, CancellationToken cancellationToken)
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
        if (compilation.Definition is not { } definition)
        {
            return new(false, Problems(compilation.Errors));
        }

        IReadOnlyList<DefinitionError> errors = IsRegistered(definition) ? [] : ErrorsOfNew(definition);
        return new(errors.Count == 0, Problems(errors))
        {
            Warnings = errors.Count == 0 ? WarningsOf(definition) : null,
        };
    }

    public async Task<(DefinitionInfo Info, bool Created)> RegisterAsync(
        ReadOnlyMemory<byte> json, CancellationToken cancellationToken)
    {
        var compilation = DefinitionCompiler.Compile(json, rules);
        if (compilation.Definition is not { } definition)
        {
            throw new DefinitionInvalidException(compilation.Errors);
        }

        if (FindSame(definition) is { } known)
        {
            // Does not wait for the store requests of other registrations.
            return (known with { Warnings = WarningsOf(definition) }, false);
        }

        var (info, created) = await RegisterNewAsync(definition, cancellationToken);
        var warnings = WarningsOf(definition);
        if (warnings is not null)
        {
            // A definition that another node has just registered needs no warning.
            await RefreshAsync(cancellationToken);
            warnings = WarningsOf(definition);
        }

        return (info with { Warnings = warnings }, created);
    }

    private async Task<(DefinitionInfo Info, bool Created)> RegisterNewAsync(
        WorkflowDefinition definition, CancellationToken cancellationToken)
    {
        await _registering.WaitAsync(cancellationToken);
        try
        {
            return FindSame(definition) is { } meanwhile
                ? (meanwhile, false)
                : await AddNewAsync(definition, cancellationToken);
        }
        finally
        {
            _registering.Release();
        }
    }

    public IReadOnlyList<DefinitionInfo> List() =>
    [
        .. _versions.Values.Select(v => Info(v.Definition, v.RegisteredUtc))
            .OrderBy(i => i.Name, StringComparer.Ordinal).ThenBy(i => i.Version),
    ];

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
        version is null
            ? _newest.GetValueOrDefault(name)
            : _versions.GetValueOrDefault((name, version.Value)).Definition;

    /// <summary>Finds the definition that a signal without a waiter starts; null if there is none.</summary>
    public WorkflowDefinition? FindStartedBy(string signal) => _startedBy.GetValueOrDefault(signal);

    /// <summary>
    /// Whether any version of a definition receives signals of this name. A definition that this build cannot read may
    /// receive any signal.
    /// </summary>
    public bool IsReceived(string signal) => _received.ContainsKey(signal) || !_unreadable.IsEmpty;

    /// <summary>Finds an identical registered definition; null if the definition is new and valid.</summary>
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

    private async Task<(DefinitionInfo Info, bool Created)> AddNewAsync(
        WorkflowDefinition definition, CancellationToken cancellationToken)
    {
        var size = Interlocked.Read(ref _size);
        if (Count >= maxCount || (size + definition.Json.Length > maxSize && Count > 0))
        {
            throw new DefinitionsFullException(Count, maxCount, size, maxSize);
        }

        var offered = new DefinitionRow(
            definition.Name, definition.Version, definition.ContentHash, definition.Json, time.GetUtcNow());
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

    private DefinitionProblem[]? WarningsOf(WorkflowDefinition definition)
    {
        var warnings = UnregisteredCalls.Find(definition, (name, version) => Find(name, version) is not null);
        return warnings.Count > 0 ? Problems(warnings) : null;
    }

    private static DefinitionProblem[] Problems(IReadOnlyList<DefinitionError> errors) =>
        [.. errors.Select(e => new DefinitionProblem(e.Path, e.Message, e.Column))];

    /// <summary>
    /// Errors that prevent the registration of a new definition. A registered definition with such an error is still
    /// read.
    /// </summary>
    private List<DefinitionError> ErrorsOfNew(WorkflowDefinition definition)
    {
        List<DefinitionError> errors = definition.Name is not ("." or "..") ? [] : [new("name",
            $"The name '{definition.Name}' is resolved as a part of an address, so that its routes cannot be reached; "
                + "use another.")];
        for (var i = 0; i < definition.StartOn.Count; i++)
        {
            var signal = definition.StartOn[i].Signal;
            if (FindStartedBy(signal) is { } other && other.Name != definition.Name)
            {
                errors.Add(new($"startOn[{i}].signal", $"The signal '{signal}' starts '{other.Name}' version "
                    + $"{other.Version}; use another, or register a version of that without it first."));
            }
        }

        return errors;
    }

    // Two nodes may simultaneously register definitions of which one node would refuse the second. Then the first name
    // gets the signal on every node.
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
        // A registered definition keeps running if an activity is missing now: its steps fail with that reason.
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

    /// <summary>Reads may run in parallel: one that began earlier must not decrease the number.</summary>
    private void ReadUpTo(long number)
    {
        lock (_reading)
        {
            _lastRead = Math.Max(_lastRead, number);
        }
    }

    private static IEnumerable<string> SignalsOf(StepDefinition step) => step switch
    {
        WaitSignalStep wait => SignalsOf(wait.Boundary).Append(wait.Signal),
        WaitFirstStep first => SignalsOf(first.Events),
        BoundedStep bounded => SignalsOf(bounded.Boundary),
        _ => [],
    };

    private static IEnumerable<string> SignalsOf(IReadOnlyList<StepEvent>? events) =>
        (events ?? []).Select(e => e.Signal).OfType<string>();

    private void Add(WorkflowDefinition definition, DateTimeOffset registeredUtc)
    {
        var started = definition.StartOn.Select(start => start.Signal);
        foreach (var signal in definition.Steps.Values.SelectMany(SignalsOf).Concat(started))
        {
            _received.TryAdd(signal, 0);
        }

        if (_versions.TryAdd((definition.Name, definition.Version), (definition, registeredUtc)))
        {
            Interlocked.Add(ref _size, definition.Json.Length);
        }

        _newest.AddOrUpdate(
            definition.Name, definition, (_, newest) => newest.Version > definition.Version ? newest : definition);
        if (definition.StartOn.Count > 0 || _startedBy.Values.Any(d => d.Name == definition.Name))
        {
            IndexStartSignals();
        }
    }
}
