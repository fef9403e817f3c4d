namespace PerformanceTesting.Backends.MongoDb;

/// <summary>Version and settings as a MongoDB server gives them.</summary>
internal static class MongoSettings
{
    /// <summary>Reads and judges. What the account may not read is noted as such.</summary>
    /// <exception cref="MongoRefusalException">The server cannot be asked.</exception>
    public static async Task<SettingsReadBack> ReadAsync(IMongoLink link, CancellationToken cancellationToken)
    {
        var values = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var build = await link.RunAsync("admin", """{ "buildInfo": 1 }""", cancellationToken);
        await TakeAsync("""{ "serverStatus": 1, "repl": 0, "metrics": 0 }""", reply =>
        {
            Put("storageEngine", reply, "storageEngine", "name");
            Put("storageEngine.persistent", reply, "storageEngine", "persistent");
            Put("cacheBytes", reply, "wiredTiger", "cache", "maximum bytes configured");
        });
        await TakeAsync("""{ "replSetGetConfig": 1 }""", reply =>
        {
            Put("replicaSet", reply, "config", "_id");
            Put("writeConcernMajorityJournalDefault", reply, "config", "writeConcernMajorityJournalDefault");
            if (reply.Find("config", "members") is { ValueKind: JsonValueKind.Array } members)
            {
                values["replicaSet.members"] = $"{members.GetArrayLength()}";
            }
        });
        await TakeAsync("""{ "getDefaultRWConcern": 1 }""", reply =>
        {
            Put("defaultWriteConcern.w", reply, "defaultWriteConcern", "w");
            Put("defaultWriteConcern.source", reply, "defaultWriteConcernSource");
            Put("defaultReadConcern.level", reply, "defaultReadConcern", "level");
        });
        await TakeAsync(
            """{ "getCmdLineOpts": 1 }""", reply => Put("journal", reply, "parsed", "storage", "journal", "enabled"));
        await TakeAsync("""{ "getParameter": 1, "featureCompatibilityVersion": 1, "journalCommitInterval": 1 }""", reply =>
        {
            Put("featureCompatibilityVersion", reply, "featureCompatibilityVersion", "version");
            Put("journalCommitIntervalMs", reply, "journalCommitInterval");
        });
        values.TryAdd("journal",
            values.GetValueOrDefault("storageEngine") == "wiredTiger" ? "on (WiredTiger's default)" : "unknown");
        return Of(build.Find("version")?.GetString() ?? "unknown", values);

        async Task TakeAsync(string command, Action<JsonElement> take)
        {
            try
            {
                take(await link.RunAsync("admin", command, cancellationToken));
            }
            catch (MongoRefusalException exception) when (exception.Code != 0)
            {
                values[command.Split('"')[1]] = $"not readable: {exception.Message}";
            }
        }

        void Put(string name, JsonElement reply, params string[] path)
        {
            if (reply.Find(path) is { } value)
            {
                values[name] = value.ValueKind == JsonValueKind.String ? value.GetString()! : value.GetRawText();
            }
        }
    }

    /// <summary>
    /// Judges settings that were read, name to value. Which commits wait for the journal is the store's own write
    /// concern, not the server's default; here counts whether the server has a journal and an engine that keeps
    /// anything.
    /// </summary>
    public static SettingsReadBack Of(string version, IReadOnlyDictionary<string, string> settings)
    {
        var shortfalls = new List<string>();
        var (engine, persistent) =
            (settings.GetValueOrDefault("storageEngine"), settings.GetValueOrDefault("storageEngine.persistent"));
        if (persistent != "true")
        {
            shortfalls.Add($"storageEngine={engine ?? "unknown"}, persistent={persistent ?? "unknown"}");
        }

        if (settings.GetValueOrDefault("journal") is { } journal and not "true"
            && !journal.StartsWith("on", StringComparison.Ordinal))
        {
            shortfalls.Add($"journal={journal}");
        }

        return new(version, settings, shortfalls);
    }

    /// <summary>A member of members; null when it is not there, or null itself.</summary>
    public static JsonElement? Find(this JsonElement element, params string[] path)
    {
        foreach (var name in path)
        {
            if (element.ValueKind != JsonValueKind.Object || !element.TryGetProperty(name, out element))
            {
                return null;
            }
        }

        return element.ValueKind == JsonValueKind.Null ? null : element;
    }
}
