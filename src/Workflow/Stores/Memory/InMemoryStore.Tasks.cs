using Workflow.Abstractions;
using Workflow.Abstractions.Stores;

namespace Workflow.Stores.Memory;

/// <content>Tasks and sub-workflows.</content>
public sealed partial class InMemoryStore
{
    /// <inheritdoc/>
    public Task<IReadOnlyList<Guid>> FindChildrenAsync(Guid parent, int limit, CancellationToken cancellationToken)
    {
        lock (_tables.Gate)
        {
            return Task.FromResult<IReadOnlyList<Guid>>([.. _tables.Children.GetValueOrDefault(parent, []).Order(IdOrder).Take(limit)]);
        }
    }

    /// <inheritdoc/>
    public Task<TaskRow?> FindTaskAsync(Guid id, CancellationToken cancellationToken)
    {
        lock (_tables.Gate)
        {
            return Task.FromResult(_tables.Tasks.GetValueOrDefault(id));
        }
    }

    /// <inheritdoc/>
    public Task<IReadOnlyList<TaskRow>> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken)
    {
        lock (_tables.Gate)
        {
            return Page(
                _tables.Tasks.Values.Where(r => (query.Assignee is null || r.Assignee == query.Assignee)
                    && (query.Group is null || r.Groups.Contains(query.Group, StringComparer.Ordinal))
                    && (query.State is null || r.State == query.State)),
                r => r.Id, query.After, query.Limit);
        }
    }
}
