using NpgsqlTypes;
using Workflow.Abstractions;
using Workflow.Abstractions.Stores;

namespace Workflow.Stores.PostgreSql;

/// <content>Tasks and sub-workflows.</content>
public sealed partial class PostgresStore
{
    /// <inheritdoc/>
    public Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken) =>
        ReadAsync("FindChildren", r => r.GetGuid(0), cancellationToken, Query.Of(parent), Query.Of(limit));

    /// <inheritdoc/>
    public async Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken) =>
        (await ReadAsync("FindTask", Rows.Task, cancellationToken, Query.Of(id)).ConfigureAwait(false)).FirstOrDefault();

    /// <inheritdoc/>
    public Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken) => ReadAsync(
        "ListTasks",
        Rows.Task,
        cancellationToken,
        Optional(query.Assignee, NpgsqlDbType.Text),
        Optional(query.Group, NpgsqlDbType.Text),
        Optional((short?)query.State, NpgsqlDbType.Smallint),
        Optional(query.After, NpgsqlDbType.Uuid),
        Query.Of(query.Limit));
}
