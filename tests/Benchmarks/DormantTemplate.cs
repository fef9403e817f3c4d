using Npgsql;

namespace Benchmarks;

/// <summary>
/// The row of an instance that an engine has made dormant: bulk rows are copies of it with other ids.
/// </summary>
internal sealed record DormantTemplate(
    string Definition, int Version, long Revision, short State, string Body, string History, string Key, Guid WaitId,
    long? DueTicks)
{
    /// <summary>Reads the dormant instance of a correlation key.</summary>
    /// <exception cref="InvalidOperationException">There is none, or more than one.</exception>
    public static async Task<DormantTemplate> ReadAsync(
        NpgsqlConnection connection, string schema, string key, CancellationToken cancellationToken)
    {
        await using var command = new NpgsqlCommand(
            $"""
            select definition, definition_version, revision, state, body, history,
                   (body::json -> 'w' -> 0 ->> 'i')::uuid, (body::json -> 'w' -> 0 ->> 'd')::bigint
              from "{schema}".dormant_instances where correlation_key = @key
            """,
            connection);
        command.Parameters.AddWithValue("key", key);
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        var found = new List<DormantTemplate>();
        while (await reader.ReadAsync(cancellationToken))
        {
            found.Add(new(
                reader.GetString(0), reader.GetInt32(1), reader.GetInt64(2), reader.GetInt16(3), reader.GetString(4),
                reader.GetString(5), key, reader.GetGuid(6),
                await reader.IsDBNullAsync(7, cancellationToken) ? null : reader.GetInt64(7)));
        }

        return found is [var one]
            ? one
            : throw new InvalidOperationException($"{found.Count} dormant instances have the key '{key}'; 1 should.");
    }

    /// <summary>The body of a copy.</summary>
    public string BodyOf(string key, Guid waitId, DateTimeOffset? dueUtc)
    {
        var body = Body.Replace(Key, key, StringComparison.Ordinal)
            .Replace($"{WaitId}", $"{waitId}", StringComparison.Ordinal);
        return DueTicks is { } from && dueUtc is { } due
            ? body.Replace($"\"d\":{from}", $"\"d\":{due.UtcTicks}", StringComparison.Ordinal)
            : body;
    }
}
